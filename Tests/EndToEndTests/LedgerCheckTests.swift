import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

@Suite("Check and serve with an existing ledger", .serialized, .timeLimit(.minutes(30)))
struct LedgerCheckTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private func check() throws -> ChildProcess.Outcome {
        try Executable.run(["check", "--config", installation.configuration])
    }

    /// Lets a service begin the ledger, and stop.
    private func begin() throws {
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        service.signal(SIGTERM)
        #expect(service.wait() == 0)
    }

    /// Expects that nothing is done with the ledger by a key that it was not written with.
    private func expectRefusal(of setting: String) throws {
        for (command, status) in [("check", 78), ("serve", 1)] as [(String, Int32)] {
            let outcome = try Executable.run([command, "--config", installation.configuration])
            #expect(outcome.status == status)
            #expect(outcome.text.isEmpty)
            #expect(outcome.errors.contains("it was written with another"), "\(outcome.errors)")
            #expect(outcome.errors.contains("(\(setting))"), "\(outcome.errors)")
        }
    }

    @Test("A file: in order, damaged, or with a key that is not its own")
    func file() throws {
        try begin()
        let fine = try check()
        #expect(fine.status == 0 && fine.errors.isEmpty)
        #expect(fine.text.contains("ledger.sqlite, in order"), "\(fine.text)")
        let key = installation.ledger + ".digest-key"
        let own = try Data(contentsOf: URL(filePath: key))
        try Data(repeating: 7, count: 32).write(to: URL(filePath: key))
        try expectRefusal(of: "ledger.digestKeyFile")
        try own.write(to: URL(filePath: key))
        #expect(try check().status == 0)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: installation.ledger + suffix) }
        let damaged = Data("SQLite format 3\0".utf8) + Data(repeating: 0xA5, count: 8192)
        try damaged.write(to: URL(filePath: installation.ledger))
        let faulty = try check()
        #expect(faulty.status == 78)
        #expect(faulty.errors.contains("error: ledger.url: ") && faulty.errors.contains("SQLite"), "\(faulty.errors)")
        #expect(try Data(contentsOf: URL(filePath: installation.ledger)) == damaged)
    }

    @Test("Files of a first start that was cut off are a fault of check")
    func cutOff() throws {
        try installation.directory.write("ledger.sqlite.digest-key", "", mode: 0o600)
        let outcome = try check()
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("ledger.digestKeyFile: ") && outcome.errors.contains("delete it"))
    }

    @Test("PostgreSQL: without tables, in order, away, or with a key that is not its own")
    func server() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        for _ in 0..<2 {
            // Whoever only looks makes no tables.
            let empty = try check()
            #expect(empty.status == 0 && empty.errors.isEmpty)
            #expect(empty.text.contains("whose tables the next start will make"), "\(empty.text)")
        }
        try begin()
        let fine = try check()
        #expect(fine.status == 0)
        #expect(fine.text.contains("ledger: PostgreSQL, in order"), "\(fine.text)")
        // One role owns all, and is a superuser at that.
        let warnings = fine.errors.split(separator: "\n")
        #expect(warnings.count == 1 && warnings[0].contains("the user postgres is a superuser and owns the tables"))
        server.stop()
        let away = try check()
        #expect(away.status == 0)
        #expect(away.text.contains("which cannot be reached now"), "\(away.text)")
        #expect(away.errors.contains("warning: ledger.url: ") && away.errors.contains("cannot be reached"))
        try server.start()
        // Who may not read is refused by serve as well, whenever it starts.
        _ = try server.query("CREATE ROLE stranger LOGIN")
        let location = server.url().replacing("//postgres@", with: "//stranger@")
        let stranger = try Executable.run(["check", "--config", installation.configuration, "--ledger-url", location])
        #expect(stranger.status == 78)
        #expect(stranger.errors.contains("42501"), "\(stranger.errors)")
        try installation.directory.write("digest.key", UUID().uuidString, mode: 0o600)
        try expectRefusal(of: "ledger.digestKeyFile")
    }

    @Test("A replica with another key, which starts before the server does, is never ready, and says why")
    func lateServer() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        try begin()
        try installation.openssl(
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
            installation.directory.path("checkpoint.p8")
        )
        server.stop()
        let service = try RunningService(installation)
        try server.start()
        let deadline = Date(timeIntervalSinceNow: 60)
        var faults: [String] = []
        while !faults.contains(where: { $0.contains("ledger.checkpointKeyFile") }), deadline > Date() {
            usleep(50_000)
            let (status, details) = try service.readiness()
            #expect(status == 503)
            faults = details["faults"] as? [String] ?? []
        }
        #expect(faults.contains { $0.contains("it was written with another checkpoint key") }, "\(faults)")
        // Held state has digests of accounts in it: nothing is kept of a customer, or looked up, by this one.
        let question = #"{"appAccountToken":"\#(UUID())","evidence":{"receiptResponse":\#(Customers.lapsed)}}"#
        #expect(try service.ask("/v1/eligibility", question).status == 503)
        #expect(try server.query("SELECT count(*) FROM held_subscriptions") == "0")
    }

    @Test(
        "A server that lets nobody in, or nothing be written, is a fault with its fix; search_path elsewhere is a warning"
    )
    func turnedAway() throws {
        let server = try PostgreSQLServer(password: "right", isOnNetwork: true)
        try installation.keepLedger(in: server.url())
        let passfile = installation.directory.path("passfile")
        func check(_ url: String) throws -> ChildProcess.Outcome {
            try Executable.run(
                ["check", "--config", installation.configuration, "--ledger-url", url],
                environment: ["PGPASSFILE": passfile]
            )
        }
        func expectFault(_ url: String, _ words: String...) throws {
            let outcome = try check(url)
            #expect(outcome.status == 78, "\(url): \(outcome.text)")
            #expect(outcome.errors.contains("error: ledger.url: "), "\(outcome.errors)")
            for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
        }
        let network = server.networkURL("sslmode=disable")
        try expectFault(network, "28P01", "passfile", "127.0.0.1:\(server.port ?? 0)")
        try installation.directory.write("passfile", "*:*:*:*:wrong\n", mode: 0o600)
        try expectFault(network, "28P01")
        try installation.directory.write("passfile", "*:*:*:*:right\n", mode: 0o640)
        try expectFault(network, "chmod 0600")
        #expect(try !check(network).errors.contains("WARNING"))
        try installation.directory.write("passfile", "*:*:*:*:right\n", mode: 0o600)
        #expect(try check(network).status == 0)
        try expectFault(server.url(of: "nowhere"), "3D000", "no such database")
        _ = try server.query("CREATE ROLE outsider NOLOGIN")
        try expectFault(server.url().replacing("//postgres@", with: "//outsider@"), "28000", "pg_hba.conf")
        _ = try server.query("CREATE ROLE writer LOGIN")
        let writer = server.url().replacing("//postgres@", with: "//writer@")
        try expectFault(writer, "GRANT CREATE ON SCHEMA public TO writer")
        try begin()
        _ = try server.query("GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer")
        try expectFault(writer, "GRANT INSERT ON public.ledger_records TO writer")
        _ = try server.query("GRANT INSERT ON ALL TABLES IN SCHEMA public TO writer")
        #expect(try check(writer).status == 0)
        _ = try server.query("CREATE SCHEMA elsewhere AUTHORIZATION writer")
        _ = try server.query("ALTER ROLE writer SET search_path = elsewhere")
        let elsewhere = try check(writer)
        #expect(elsewhere.status == 0)
        #expect(elsewhere.errors.contains("there is a ledger in schema public"), "\(elsewhere.errors)")
    }
}
