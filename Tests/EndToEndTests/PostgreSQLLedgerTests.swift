import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

@Suite("The ledger in PostgreSQL", .serialized, .timeLimit(.minutes(30)))
struct PostgreSQLLedgerTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private var request: String { Customers.request("alice") }

    @Test(
        "The server is stopped and killed under load: no signature leaves that is not kept, and the service recovers by itself"
    )
    func restart() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        let service = try RunningService(installation)
        let load = Load(on: service, connections: 8)
        while load.count < 100 { usleep(1000) }
        for end in [server.stop, server.kill] {
            end()
            try service.expectFault("ledger: ")
            let refused = try service.sign(request)
            #expect(refused.status == 503)
            // What is held of the customer is in the same database, and is asked first.
            #expect(["ledger_unavailable", "state_unavailable"].contains(refused.json["code"] as? String))
            #expect(Int(refused.headers["retry-after"] ?? "").map { $0 > 0 } == true)
            try server.start()
            try service.waitUntilReadiness(is: 200)
            let before = load.count
            while load.count < before + 100 { usleep(1000) }
            #expect(try service.sign(request).decisions.first?["discount"] != nil)
        }
        let samples = load.stop()
        #expect(Set(samples.map(\.status)).subtracting([200, 503]).isEmpty)
        let received = Set(samples.filter { $0.status == 200 }.map(\.nonce))
        let kept = Set(try installation.records().compactMap { $0["nonce"] as? String })
        #expect(received.count >= 100)
        #expect(received.subtracting(kept).isEmpty)
        service.stop()
        try installation.ledger("verify").expect(0)
    }

    @Test("A start puts its configuration on record before it signs, though the connections are only being made")
    func configuration() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        let rules = ["maximumSignaturesPerCustomer: 3", "familyShared: allow", "duringPriceIncrease: refuse"]
        for (index, rule) in rules.enumerated() {
            try installation.edit("catalog.yaml", "id: anyone", "id: anyone, \(rule)")
            let service = try RunningService(installation)
            #expect(try service.sign(request).status == 200)
            service.stop()
            let lines = try service.logLines().filter { $0["message"] as? String == "configuration in use" }
            #expect(lines.count == 1)
            #expect(lines.first?["record"] == nil)
            #expect((lines.first?["changes"] as? [String])?.count == min(index, 1))
            #expect(try installation.ledger("export", "--configurations").text.jsonLines().count == index + 1)
        }
    }

    @Test("A stop while the server hangs takes no longer than the drain may, and the exit status says so")
    func stopInOutage() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        let service = try RunningService(installation, flags: ["--server-drain-timeout-seconds", "2"])
        try service.waitUntilReadiness(is: 200)
        #expect(try service.sign(request).status == 200)
        server.freeze()
        defer { server.freeze(false) }
        #expect(try service.sign(request).status == 503)
        service.signal(SIGTERM)
        #expect(service.wait() == 1)
        #expect(service.log.contains("the ledger could not be closed in time"), "\(service.log)")
    }

    @Test("Where commits wait for a standby that is gone, /readyz names it, and is ready when it is back")
    func missingStandby() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        try server.set("synchronous_standby_names", to: "gone")
        #expect(try service.sign(request).status == 503)
        try service.expectFault("synchronous_standby_names (gone)")
        try server.set("synchronous_standby_names", to: "")
        try service.waitUntilReadiness(is: 200)
        #expect(try service.sign(request).decisions.first?["discount"] != nil)
    }

    @Test("A command whose ledger is away says so, and blames no file of the caller")
    func away() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        try installation.directory.write("receipt.json", Customers.active)
        try installation.directory.write(
            "report.json",
            #"""
            {"bundleId":"\#(Installation.bundleId)","productId":"pro.monthly","offerId":"anyone",
            "applicationUsername":"alice","keyIdentifier":"TESTKEY001","nonce":"00000000-0000-4000-8000-000000000000",
            "timestamp":1795262400000,"signature":"AAAA"}
            """#
        )
        server.stop()
        let receipt = installation.directory.path("receipt.json")
        let signed = try installation.sign("anyone", "--application-username", "alice", "--receipt-response", receipt)
        signed.expect(1, "PostgreSQL cannot be reached")
        #expect(!signed.errors.contains("receipt.json"), "\(signed.errors)")
        let diagnosed = try installation.diagnose(installation.directory.path("report.json"))
        #expect(diagnosed.status == 1)
        #expect(!diagnosed.text.isEmpty)
        #expect(diagnosed.errors.contains("the ledger was not asked"), "\(diagnosed.errors)")
        #expect(diagnosed.errors.contains("PostgreSQL cannot be reached"), "\(diagnosed.errors)")
    }

    @Test("With TLS and a passfile: the server is verified, no openssl.cnf is read, and no password comes out")
    func tls() throws {
        let directory = installation.directory
        try installation.makeAuthority("authority")
        try installation.makeCertificate("server", by: "authority")
        let password = "hunter2-\(UUID().uuidString)"
        let files = (certificate: directory.path("server.pem"), key: directory.path("server.key"))
        let server = try PostgreSQLServer(password: password, tls: files)
        try directory.write("passfile", "127.0.0.1:*:*:postgres:\(password)\n", mode: 0o600)
        let mark = try installation.writeOpenSSLConfiguration("providers", "module = %\nactivate = 1")
        try installation.keepLedger(
            in: server.networkURL("sslmode=verify-full&sslrootcert=\(directory.path("authority.pem"))")
        )
        let environment = ["OPENSSL_CONF": directory.path("openssl.cnf"), "PGPASSFILE": directory.path("passfile")]
        let service = try RunningService(installation, environment: environment)
        #expect(try service.sign(request).decisions.first?["discount"] != nil)
        let encrypted = "SELECT count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl"
        #expect(try server.query(encrypted) == "t")
        #expect(!FileManager.default.fileExists(atPath: mark))
        #expect(!(service.log + service.output).contains(password))

        // Another authority: nothing is said to a server that cannot show who it is.
        try installation.makeAuthority("other")
        let other = server.networkURL("sslmode=verify-full&sslrootcert=\(directory.path("other.pem"))")
        let export = try installation.ledger("export", "--ledger-url", other, environment: environment)
        export.expect(1, "certificate verify failed")
        #expect(!export.errors.contains(password))
    }

    @Test("A password in the environment is refused, as it would be seen there, and is not repeated")
    func environmentPassword() throws {
        try installation.keepLedger(in: "postgres://postgres@/offers?host=/tmp/nowhere")
        let environment = ["PGPASSWORD": "hunter2-hunter2"]
        for outcome in [
            try installation.serve(environment: environment), try installation.check(environment: environment),
        ] {
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("PGPASSWORD") && outcome.errors.contains("passfile"))
            #expect(!outcome.errors.contains("hunter2"))
        }
    }
}
