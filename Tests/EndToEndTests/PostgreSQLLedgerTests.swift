import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

@Suite("The ledger in PostgreSQL", .serialized, .timeLimit(.minutes(30)))
struct PostgreSQLLedgerTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private var request: String {
        #"""
        {"applicationUsername":"alice","evidence":{"receiptResponse":\#(Customers.active)},
        "offers":[{"productId":"pro.monthly","offerId":"anyone"}]}
        """#
    }

    @Test("Two services share a database: of 200 requests at once, a customer gets exactly as many as the catalog says")
    func limit() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        try installation.limit(offer: "maximumSignaturesPerCustomer: 5")
        let services = [try RunningService(installation), try RunningService(installation)]
        let loads = services.map { Load(on: $0, connections: 100, requests: 1) }
        let samples = loads.flatMap { $0.finish() }
        #expect(samples.count == 200)
        // A slow machine refuses some of so many at once, without doing anything.
        #expect(samples.allSatisfy { $0.status == 200 || $0.status == 503 && $0.signature.isEmpty })
        #expect(samples.count { $0.status == 200 } > 5)
        #expect(samples.filter { !$0.signature.isEmpty }.count == 5)
        #expect(try installation.records().count == 5)
        for service in services {
            #expect(try service.sign(request).decisions.first?["reason"] as? String == "signature_limit")
            service.signal(SIGTERM)
            #expect(service.wait() == 0)
        }
        let verified = try installation.ledger("verify")
        #expect(verified.status == 0, "\(verified.errors)")
    }

    @Test(
        "The server is stopped or killed under load: no signature leaves that is not kept, and the service recovers by itself",
        arguments: [false, true]
    )
    func restart(byKill: Bool) throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        let service = try RunningService(installation)
        let load = Load(on: service, connections: 8)
        while load.count < 100 { usleep(1000) }
        if byKill { server.kill() } else { server.stop() }
        let details = try service.waitUntilReadiness(is: 503)
        #expect((details["faults"] as? [String])?.contains { $0.hasPrefix("ledger: ") } == true)
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
        let samples = load.stop()
        #expect(Set(samples.map(\.status)).subtracting([200, 503]).isEmpty)
        let received = Set(samples.filter { $0.status == 200 }.map(\.nonce))
        let kept = Set(try installation.records().compactMap { $0["nonce"] as? String })
        #expect(received.count >= 100)
        #expect(received.subtracting(kept).isEmpty)
        service.signal(SIGTERM)
        #expect(service.wait() == 0)
        let verified = try installation.ledger("verify")
        #expect(verified.status == 0, "\(verified.errors)")
    }

    @Test("A server that is not there yet: the service starts, is not ready, and is when the server comes")
    func lateServer() throws {
        let server = try PostgreSQLServer()
        server.stop()
        try installation.keepLedger(in: server.url())
        let service = try RunningService(installation)
        #expect(try service.readiness().status == 503)
        #expect(try service.sign(request).status == 503)
        try server.start()
        try service.waitUntilReadiness(is: 200)
        #expect(try service.sign(request).decisions.first?["discount"] != nil)
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

    @Test(
        "Where commits wait for a standby that is gone, /readyz names it and what to do, and is ready when it is back"
    )
    func missingStandby() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        try server.set("synchronous_standby_names", to: "gone")
        #expect(try service.sign(request).status == 503)
        let deadline = Date() + 60
        var faults: [String] = []
        while !faults.contains(where: { $0.contains("synchronous_standby_names (gone)") }), Date() < deadline {
            usleep(50_000)
            faults = try service.readiness().details["faults"] as? [String] ?? []
        }
        #expect(faults.contains { $0.contains("synchronous_standby_names (gone)") }, "\(faults)")
        // A service that starts now is not ready, though its connection is in order.
        let another = try RunningService(installation)
        #expect(try another.readiness().status == 503)
        try server.set("synchronous_standby_names", to: "")
        for service in [service, another] {
            try service.waitUntilReadiness(is: 200)
            #expect(try service.sign(request).decisions.first?["discount"] != nil)
        }
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
        let signed = try Executable.run([
            "sign", "--config", installation.configuration, "--bundle-id", Installation.bundleId, "--product-id",
            "pro.monthly", "--offer-id", "anyone", "--application-username", "alice", "--receipt-response",
            installation.directory.path("receipt.json"),
        ])
        #expect(signed.status == 1)
        #expect(signed.errors.contains("PostgreSQL cannot be reached"), "\(signed.errors)")
        #expect(!signed.errors.contains("receipt.json"), "\(signed.errors)")
        let diagnosed = try Executable.run([
            "diagnose", "--config", installation.configuration, installation.directory.path("report.json"),
        ])
        #expect(diagnosed.status == 1)
        #expect(!diagnosed.text.isEmpty)
        #expect(diagnosed.errors.contains("the ledger was not asked"), "\(diagnosed.errors)")
        #expect(diagnosed.errors.contains("PostgreSQL cannot be reached"), "\(diagnosed.errors)")
    }

    @Test("Nothing is forgotten, and nothing made, where there is no ledger")
    func noLedger() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        let account = "2b4e1a5c-6d7f-4a8b-9c0d-1e2f3a4b5c6d"
        for command in [["forget", "--app-account-token", account], ["verify"]] {
            let outcome = try Executable.run(["ledger"] + command + ["--config", installation.configuration])
            #expect(outcome.status == 1)
            #expect(outcome.text.isEmpty)
            #expect(outcome.errors.contains("there is no ledger"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("cannot be reached"))
        }
        // Where a service has been, there is one.
        do {
            let service = try RunningService(installation)
            service.signal(SIGTERM)
            #expect(service.wait() == 0)
        }
        #expect(try installation.ledger("forget", "--app-account-token", account).status == 0)
    }

    @Test("With TLS and a passfile: the server is verified, no openssl.cnf is read, and no password comes out")
    func tls() throws {
        let directory = installation.directory
        try installation.openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            directory.path("server.key"),
            "-out",
            directory.path("server.pem"),
            "-subj",
            "/CN=database.test",
            "-addext",
            "subjectAltName=IP:127.0.0.1"
        )
        let password = "hunter2-\(UUID().uuidString)"
        let files = (certificate: directory.path("server.pem"), key: directory.path("server.key"))
        let server = try PostgreSQLServer(password: password, tls: files)
        try directory.write("passfile", "127.0.0.1:*:*:postgres:\(password)\n", mode: 0o600)
        let mark = directory.path("loaded")
        let module = try SharedObject.build(SharedObject.leavingMark(mark), named: "foreign.so", in: directory)
        try directory.write(
            "openssl.cnf",
            """
            openssl_conf = main
            [main]
            providers = list
            [list]
            foreign = foreign_section
            [foreign_section]
            module = \(module)
            activate = 1

            """
        )
        try installation.keepLedger(
            in: server.networkURL("sslmode=verify-full&sslrootcert=\(directory.path("server.pem"))")
        )
        let environment = [
            "OPENSSL_CONF": directory.path("openssl.cnf"), "PGPASSFILE": directory.path("passfile"),
        ]
        let service = try RunningService(installation, environment: environment)
        #expect(try service.sign(request).decisions.first?["discount"] != nil)
        let encrypted = "SELECT count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl"
        #expect(try server.query(encrypted) == "t")
        #expect(!FileManager.default.fileExists(atPath: mark))
        #expect(!(service.log + service.output).contains(password))

        // Another authority: nothing is said to a server that cannot show who it is.
        try installation.openssl(
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            directory.path("other.key"),
            "-out",
            directory.path("other.pem"),
            "-subj",
            "/CN=127.0.0.1"
        )
        let other = server.networkURL("sslmode=verify-full&sslrootcert=\(directory.path("other.pem"))")
        let export = try Executable.run(
            ["ledger", "export", "--config", installation.configuration, "--ledger-url", other],
            environment: environment
        )
        #expect(export.status == 1)
        #expect(export.errors.contains("certificate verify failed"))
        #expect(!export.errors.contains(password))
    }

    @Test("A password in the environment is refused, as it would be seen there, and is not repeated")
    func environmentPassword() throws {
        try installation.keepLedger(in: "postgres://postgres@/offers?host=/tmp/nowhere")
        for command in ["serve", "check"] {
            let outcome = try Executable.run(
                [command, "--config", installation.configuration],
                environment: ["PGPASSWORD": "hunter2-hunter2"]
            )
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("PGPASSWORD") && outcome.errors.contains("passfile"))
            #expect(!outcome.errors.contains("hunter2"))
        }
    }
}
