import Crypto
import Foundation
import Testing

@Suite("SIGHUP: a new configuration without a dropped request")
struct ReloadTests {
    private let service: RunningService
    private var installation: Installation { service.installation }

    init() throws { service = try RunningService() }

    private func publicKey(_ id: String) throws -> P256.Signing.PublicKey {
        let pem = try String(contentsOfFile: installation.directory.path("\(id).pem"), encoding: .utf8)
        return try P256.Signing.PublicKey(pemRepresentation: pem)
    }

    private func verifies(_ sample: Load.Sample, by key: P256.Signing.PublicKey) throws -> Bool {
        let fields = [
            Installation.bundleId, sample.keyIdentifier, "pro.monthly", "anyone", "alice", sample.nonce,
            String(sample.timestamp),
        ]
        let signature = try #require(Data(base64Encoded: sample.signature))
        return key.isValidSignature(
            try P256.Signing.ECDSASignature(derRepresentation: signature),
            for: Data(fields.joined(separator: "\u{2063}").utf8)
        )
    }

    @Test(
        "Keys are rotated under load: no request fails, none is signed by a key that was removed before it was sent",
        arguments: [false, true]
    )
    func rotation(betweenFilesAndToken: Bool) throws {
        let ids = (0..<4).map { "ROTATED00\($0)" }
        for id in ids { try installation.makeKey(id) }
        var entries = ids.map(Installation.entry)
        var service = service
        if betweenFilesAndToken {
            let token = try TestToken(of: installation, keys: [ids[0], ids[2]], through: .softHSM)
            for index in [0, 2] { entries[index] = TestToken.entry(ids[index]) }
            service = try RunningService(installation, environment: token.environment)
        }
        try installation.writeCatalog(keys: entries[3])
        try service.reload()

        // Before the first round the last key signs; in period N, that of round N - 1.
        let load = Load(on: service, connections: 4)
        let rounds = 24
        for round in 0..<rounds {
            let count = load.count
            try installation.writeCatalog(keys: entries[round % 4])
            let details = try service.reload()
            load.advance()
            #expect((details["reloads"] as? [String: Any])?["completed"] as? Int == round + 2)
            // Some requests with each key.
            while load.count < count + 8 { usleep(1_000) }
        }
        let samples = load.stop()

        #expect(samples.allSatisfy { $0.status == 200 })
        #expect(Set(samples.map(\.keyIdentifier)) == Set(ids))
        let keys = try Dictionary(uniqueKeysWithValues: ids.map { ($0, try publicKey($0)) })
        for sample in samples {
            #expect(try verifies(sample, by: #require(keys[sample.keyIdentifier])))
            // While it was under way, the next reload may have begun, and its key may have signed.
            let allowed = (sample.periods.lowerBound - 1...sample.periods.upperBound).map { ids[($0 + 4) % 4] }
            #expect(allowed.contains(sample.keyIdentifier), "\(sample.keyIdentifier) in \(sample.periods)")
        }
        // With fewer keys allowed than there are, it says something.
        #expect(samples.count { $0.periods.count < 3 } > samples.count / 2)
    }

    @Test(
        "A bad configuration leaves the old one in use, also where its key file is gone; every fault is logged, counted and shown"
    )
    func refusal() throws {
        try installation.directory.write("clients.yaml", "clients: [{ name: b, tokenSHA256: xyz, apps: [x] }]\n")
        try installation.makeKey("NEWKEY0001")
        try installation.writeCatalog(keys: Installation.entry("NEWKEY0001") + ", " + Installation.entry("TESTKEY001"))
        try FileManager.default.removeItem(atPath: installation.key)
        let details = try service.reload()
        let reloads = try #require(details["reloads"] as? [String: Any])
        #expect(reloads["completed"] as? Int == 0)
        #expect(reloads["refused"] as? Int == 1)
        let faults = try #require(reloads["lastFaults"] as? [String])
        for place in ["clients[0].tokenSHA256", "clients[0].apps[0]", "keys[1].file"] {
            #expect(faults.contains { $0.contains(place) })
            #expect(service.log.contains(place))
        }
        #expect(service.log.contains("stays in use"))
        try service.waitUntilReadiness(is: 200)
        #expect(try service.metrics()["offer_signer_last_reload_successful"] == 0)
        let load = Load(on: service, connections: 1, requests: 1)
        #expect(load.finish().map(\.keyIdentifier) == ["TESTKEY001"])
    }

    @Test("Another key under the id of the one in use is taken, and pointed out: one of them is not the id's")
    func otherKey() throws {
        let warning = "the reload changed the private key of TESTKEY001 under the same id"
        try service.reload()
        #expect(try service.metrics()["offer_signer_last_reload_successful"] == 1)
        #expect(!service.log.contains(warning))
        try FileManager.default.removeItem(atPath: installation.key)
        try installation.makeKey("TESTKEY001")
        try service.reload()
        #expect(service.log.contains(warning))
        let sample = try #require(Load(on: service, connections: 1, requests: 1).finish().first)
        #expect(try verifies(sample, by: publicKey("TESTKEY001")))
        // Where another app has the id, too, with a key of its own, that is reported once.
        try installation.makeKey("OTHERKEY01")
        let catalog = try String(contentsOfFile: installation.directory.path("catalog.yaml"), encoding: .utf8)
        let other = catalog.replacing("apps:\n", with: "").replacing(Installation.bundleId, with: "com.example.other")
            .replacing("SubscriptionKey_TESTKEY001", with: "SubscriptionKey_OTHERKEY01")
        try installation.directory.write("catalog.yaml", "\(catalog)\n\(other)")
        let before = service.log.components(separatedBy: warning).count
        for _ in 0..<2 {
            let reloads = try service.reload()["reloads"] as? [String: Any]
            #expect((reloads?["lastFaults"] as? [String])?.isEmpty == true, "\(service.log.suffix(600))")
            #expect(service.log.components(separatedBy: warning).count == before + 1)
        }
    }

}

/// A service whose files each test finds as they were at first.
struct ReloadScene: SharedScene {
    let service: RunningService
    private let files: [String: String]

    init() throws {
        let running = try RunningService(flags: ["--log-level", "info"])
        service = running
        files = try ["offer-signer.yaml", "clients.yaml", "catalog.yaml"].reduce(into: [:]) { files, name in
            files[name] = try String(contentsOfFile: running.installation.directory.path(name), encoding: .utf8)
        }
    }

    func restored() throws -> RunningService {
        for (name, text) in files { try service.installation.directory.write(name, text) }
        try service.reload()
        return service
    }
}

@Suite("A reload of clients, offers and settings", .serialized, .sharing(ReloadScene.self))
struct ReloadSettingsTests {
    private let service: RunningService

    private var installation: Installation { service.installation }

    init() throws { service = try ReloadScene.running().restored() }

    @Test("A list of clients that becomes empty takes effect, and stays a warning until it has one again")
    func nobody() throws {
        let good = try String(contentsOfFile: installation.directory.path("clients.yaml"), encoding: .utf8)
        func completed(_ details: [String: Any]) -> Int? {
            (details["reloads"] as? [String: Any])?["completed"] as? Int
        }
        let before = try #require(completed(try service.reload()))
        try installation.directory.write("clients.yaml", "clients: []\n")
        let details = try service.reload()
        #expect(completed(details) == before + 1)
        let warnings = try #require(details["warnings"] as? [String])
        #expect(warnings.contains { $0.contains("clients: is empty, so nobody can ask for signatures") }, "\(warnings)")
        try service.waitUntilReadiness(is: 200)
        #expect(try service.sign("{}").status == 401)
        try installation.directory.write("clients.yaml", good)
        #expect((try service.reload()["warnings"] as? [String])?.contains { $0.contains("nobody") } == false)
        #expect(try service.sign("{}").status == 400)
    }

    @Test("The page is opened under the names that the file lists, and after a reload under those of then")
    func hosts() throws {
        let good = try String(contentsOfFile: installation.configuration, encoding: .utf8)
        func status(under host: String) throws -> Int {
            let connection = try Connection(to: service.admin)
            try connection.send("GET /overview.json HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return try connection.receive().status
        }
        func list(_ hosts: String) throws {
            let admin = "admin: { host: 127.0.0.1, port: 0"
            let text = good.replacing(admin, with: admin + hosts)
            try installation.directory.write("offer-signer.yaml", text)
            _ = try service.reload()
        }
        #expect(try status(under: "ops.example") == 421)
        try list(", hosts: [ops.example]")
        #expect(try status(under: "Ops.Example:9090") == 200)
        #expect(try status(under: "other.example") == 421)
        try list("")
        #expect(try status(under: "ops.example") == 421)
    }

    @Test(
        "The demo key and token are refused as long as others can reach the listener, whatever the new file says of it"
    )
    func demo() throws {
        let open = try Installation()
        // An address of this machine alone, in a form that is not taken for one.
        try open.edit("offer-signer.yaml", "server: { host: 127.0.0.1", "server: { host: 127.1")
        let service = try RunningService(open)
        try open.edit("offer-signer.yaml", "server: { host: 127.1", "server: { host: 127.0.0.1")
        try open.writeClients(token: "demo-token-for-loopback-only")
        let refused = try #require(try service.reload()["reloads"] as? [String: Any])
        #expect(refused["refused"] as? Int == 1)
        #expect((refused["lastFaults"] as? [String])?.first?.contains("is the demo token") == true)
        try open.writeClients()
        let taken = try #require(try service.reload()["reloads"] as? [String: Any])
        #expect(taken["completed"] as? Int == 1)
    }

    @Test("A setting that only a restart changes is named for as long as it differs")
    func restart() throws {
        let port = service.server.port
        try installation.edit("offer-signer.yaml", "port: 0 }\nadmin", "port: \(port) }\nadmin")
        let warnings = try #require(try service.reload()["warnings"] as? [String])
        #expect(warnings.contains { $0 == "server.port has changed, which needs a restart; in use is still 0" })
        #expect(service.log.contains("needs a restart"))
        try installation.edit("offer-signer.yaml", "port: \(port) }\nadmin", "port: 0 }\nadmin")
        #expect(try (service.reload()["warnings"] as? [String])?.contains { $0.contains("restart") } == false)
    }

    @Test("Clients and offers are re-read too, and a mended configuration takes effect")
    func everything() throws {
        try installation.directory.write("catalog.yaml", "apps: []\n")
        let before = try #require(try service.reload()["reloads"] as? [String: Any])
        let digest = try Installation.digest(of: "another token")
        try installation.directory.write(
            "clients.yaml",
            "clients: [{ name: other, tokenSHA256: \"\(digest)\", apps: [\(Installation.bundleId)] }]\n"
        )
        try installation.writeCatalog(keys: Installation.entry("TESTKEY001"))
        let reloads = try #require(try service.reload()["reloads"] as? [String: Any])
        #expect((before["lastFaults"] as? [String])?.isEmpty == false)
        #expect(reloads["completed"] as? Int == (before["completed"] as? Int).map { $0 + 1 })
        #expect(reloads["refused"] as? Int == before["refused"] as? Int)
        #expect((reloads["lastFaults"] as? [String])?.isEmpty == true)
        let other = ["Authorization: Bearer another token", "Content-Type: application/json"]
        // New connections go to the event loops in turn, and each has to know.
        for _ in 0..<16 {
            #expect(try service.sign("{}").status == 401, "the old token is gone")
            #expect(try Connection(to: service.server).request("POST", "/v1/signatures", headers: other).status == 400)
        }
    }
}
