import ChildProcess
import Foundation
import Testing

@Suite("The configuration on record: who changed which offer, and when")
struct ConfigurationRecordTests {
    private static let offer = "apps[com.example.reader].products[pro.monthly].offers[anyone]"

    /// Of each line about a configuration, its SHA-256 and its changes.
    private static func lines(_ service: RunningService) throws -> [(sha256: String, changes: [String])] {
        try service.logLines().filter { $0["message"] as? String == "configuration in use" }.map { line in
            (try #require(line["sha256"] as? String), try #require(line["changes"] as? [String]))
        }
    }

    private static func exported(_ installation: Installation) throws -> [[String: Any]] {
        try installation.ledger("export", "--configurations").text.jsonLines()
    }

    @Test("Rules that are taken from an offer are in the log, in the ledger and its export, in /readyz and the metrics")
    func rules() throws {
        let installation = try Installation()
        try installation.limit(offer: "audience: [lapsed, billingRetry], maximumSignaturesPerCustomer: 1")
        let service = try RunningService(installation)
        try installation.edit("catalog.yaml", ", audience: [lapsed, billingRetry], maximumSignaturesPerCustomer: 1", "")
        let details = try service.reload()
        let lines = try Self.lines(service)
        #expect(lines.count == 2)
        #expect(lines.first?.changes == [], "the first has nothing to be compared with")
        let changes = [
            "\(Self.offer).audience: billingRetry, lapsed → not set",
            "\(Self.offer).maximumSignaturesPerCustomer: 1 → not set",
        ]
        #expect(lines.last?.changes == changes)
        let sha256 = try #require(lines.last?.sha256)
        #expect(sha256.wholeMatch(of: /[0-9a-f]{64}/) != nil)
        #expect(details["configurationSHA256"] as? String == sha256)
        let overview = try Connection(to: service.admin).request("GET", "/overview.json")
        #expect(overview.json["configurationSHA256"] as? String == sha256)
        let infos = try service.metrics().keys.filter { $0.hasPrefix("offer_signer_configuration_info{") }
        #expect(infos == ["offer_signer_configuration_info{sha256=\"\(sha256.prefix(12))\"}"])
        service.stop()

        let exported = try Self.exported(installation)
        #expect(exported.compactMap { $0["sha256"] as? String } == lines.map(\.sha256))
        #expect(exported.last?["changes"] as? [String] == changes)
        let record = try #require(exported.last?["record"] as? [String: Any])
        #expect(record["client"] as? String == "offer-signer")
        #expect(record["format"] as? String == "configuration")
        #expect((record["nonce"] as? String)?.replacing("-", with: "") == String(sha256.prefix(32)))
        #expect(record["customerDigest"] as? String == sha256)
        // The values can be hashed by whoever doubts.
        let values = try #require(exported.last?["values"])
        let json = try JSONSerialization.data(withJSONObject: values, options: [.sortedKeys, .withoutEscapingSlashes])
        let digest = try Executable.run([], of: "/usr/bin/sha256sum", input: json).text
        #expect(digest.hasPrefix(sha256))
        let verified = try installation.ledger("verify", "--json")
        #expect(verified.status == 0)
        #expect(verified.json["configurations"] as? Int == 2)
        #expect(verified.json["records"] as? Int == 0)
        #expect(try installation.records().isEmpty, "an export of signatures has signatures alone")
    }

    @Test("A setting that waits for a restart counts once it is in use")
    func restart() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        try installation.configure("ledger: { retentionDays: 400 }\nevidence: { maximumAgeSeconds: 600 }")
        try service.reload()
        #expect(try Self.lines(service).last?.changes == ["evidence.maximumAgeSeconds: not set → 600"])
        service.stop()
        let next = try RunningService(installation)
        #expect(try Self.lines(next).last?.changes == ["ledger.retentionDays: not set → 400"])
        next.stop()
        #expect(try Self.exported(installation).count == 3)
    }

    @Test("A start that finds its port taken puts no configuration into the log or on record")
    func portTaken() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        try installation.edit("catalog.yaml", "id: anyone", "id: anyone, maximumSignaturesPerCustomer: 3")
        for port in ["--server-port", "--admin-port"] {
            let taken = port == "--server-port" ? service.server.port : service.admin.port
            let second = try Executable.run(["serve", "--config", installation.configuration, port, "\(taken)"])
            second.expect(1, "Address already in use")
            #expect(!second.errors.contains("configuration in use"), "\(second.errors)")
        }
        service.stop()
        #expect(try Self.exported(installation).count == 1)
    }

    @Test("A client's new token and a new key are named, without a secret, a digest of a token, an address or a path")
    func secrets() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        try installation.writeClients(token: "another-token")
        try installation.makeKey("TESTKEY002")
        try installation.writeCatalog(keys: Installation.entry("TESTKEY002"))
        try service.reload()
        let changes = try #require(try Self.lines(service).last?.changes)
        #expect(changes.count == 3)
        #expect(changes.contains("clients[backend].tokens: changed"))
        let pem = installation.directory.path("TESTKEY002.pem")
        let der = installation.directory.path("key.der")
        try installation.openssl("pkey", "-pubin", "-in", pem, "-outform", "DER", "-out", der)
        let fingerprint = try Executable.run([der], of: "/usr/bin/sha256sum").text.prefix(64)
        #expect(
            changes.contains("apps[com.example.reader].keys[TESTKEY002]: not set → signs, public key \(fingerprint)")
        )
        service.stop()
        let export = try installation.ledger("export", "--configurations").text
        let digests = try ["another-token", Installation.token].map { try Installation.digest(of: $0) }
        let paths = [installation.directory.path(""), ".p8", "127.0.0.1", "another-token", Installation.token]
        for word in digests + paths { #expect(!export.contains(word), "\(word)") }
    }

    @Test("While the ledger cannot be written the line says so, and the record follows")
    func outage() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        try installation.edit("catalog.yaml", "id: anyone", "id: anyone, maximumSignaturesPerCustomer: 3")
        let lock = try installation.lockLedger()
        try service.reload()
        let line = try #require(try service.logLines().last { $0["message"] as? String == "configuration in use" })
        #expect(line["record"] as? String == "it follows once the ledger can be written")
        lock.send(SIGKILL)
        let isRecorded = try waitUntil { try Self.exported(installation).count == 2 }
        #expect(isRecorded)
        service.stop()
    }
}
