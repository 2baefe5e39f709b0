import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

@Suite("Check and serve with an existing ledger", .serialized, .timeLimit(.minutes(30)))
struct LedgerCheckTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    /// Lets a service begin the ledger, and stop.
    private func begin() throws {
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        service.stop()
    }

    /// Expects that nothing is done with the ledger by a key that it was not written with.
    private func expectRefusal(of setting: String) throws {
        for outcome in [try installation.check(), try installation.serve()] {
            #expect(outcome.text.isEmpty)
            outcome.expect(78, ": ledger.url: ", "it was written with another", "(\(setting))")
        }
    }

    @Test("A file: in order, or damaged, and then it is left as it is")
    func file() throws {
        try begin()
        let fine = try installation.check()
        #expect(fine.status == 0 && fine.errors.isEmpty)
        #expect(fine.text.contains("ledger.sqlite, in order"), "\(fine.text)")
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: installation.ledger + suffix) }
        let damaged = Data("SQLite format 3\0".utf8) + Data(repeating: 0xA5, count: 8192)
        try damaged.write(to: URL(filePath: installation.ledger))
        try installation.check().expect(78, "offer-signer.yaml", ": ledger.url: ", "SQLite")
        #expect(try Data(contentsOf: URL(filePath: installation.ledger)) == damaged)
    }

    @Test("Files of a first start that was cut off are a fault of check")
    func cutOff() throws {
        try installation.directory.write("ledger.sqlite.digest-key", "", mode: 0o600)
        let outcome = try installation.check()
        outcome.expect(78, "ledger.digestKeyFile: ", "delete it")
    }

    @Test("PostgreSQL: without tables, in order, away, or with a key that is not its own")
    func server() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        for _ in 0..<2 {
            // Whoever only looks makes no tables.
            let empty = try installation.check()
            #expect(empty.status == 0 && empty.errors.isEmpty)
            #expect(empty.text.contains("whose tables the next start will make"), "\(empty.text)")
            for command in [["verify"], ["forget", "--application-username", "alice"]] {
                let outcome = try Executable.run(["ledger"] + command + ["--config", installation.configuration])
                #expect(outcome.status == 1 && outcome.errors.contains("there is no ledger"), "\(outcome.errors)")
            }
        }
        try begin()
        let fine = try installation.check()
        #expect(fine.status == 0)
        #expect(fine.text.contains("ledger: PostgreSQL, in order"), "\(fine.text)")
        // One role owns all, and is a superuser at that.
        let warnings = fine.errors.split(separator: "\n")
        #expect(warnings.count == 1 && warnings[0].contains("the user postgres is a superuser and owns the tables"))
        server.stop()
        let away = try installation.check()
        #expect(away.status == 0)
        #expect(away.text.contains("which cannot be reached now"), "\(away.text)")
        #expect(away.errors.contains("warning: ledger.url: ") && away.errors.contains("cannot be reached"))
        try server.start()
        // Who may not read is refused by serve as well, whenever it starts.
        _ = try server.query("CREATE ROLE stranger LOGIN")
        let location = server.url().replacing("//postgres@", with: "//stranger@")
        let stranger = try installation.check("--ledger-url", location)
        stranger.expect(78, "42501")
        try installation.directory.write("digest.key", UUID().uuidString, mode: 0o600)
        try expectRefusal(of: "ledger.digestKeyFile")
    }

    @Test("A server that comes later: a replica is ready with it, and with another key never, and says why")
    func lateServer() throws {
        let server = try PostgreSQLServer()
        try installation.keepLedger(in: server.url())
        try begin()
        server.stop()
        try installation.makeKeyFile("other.p8")
        let service = try RunningService(installation)
        let other = try RunningService(installation, flags: ["--ledger-checkpoint-key-file", "other.p8"])
        #expect(try service.readiness().status == 503)
        #expect(try service.sign(Customers.request("alice")).status == 503)
        try server.start()
        try service.waitUntilReadiness(is: 200)
        #expect(try service.sign(Customers.request("alice")).decisions.first?["discount"] != nil)
        try other.expectFault("ledger.checkpointKeyFile")
        try other.expectFault("it was written with another checkpoint key")
        // Held state has digests of accounts in it: nothing is kept of a customer, or looked up, by this one.
        let question = #"{"appAccountToken":"\#(UUID())","evidence":{"receiptResponse":\#(Customers.lapsed)}}"#
        #expect(try other.ask("/v1/eligibility", question).status == 503)
        #expect(try server.query("SELECT count(*) FROM held_subscriptions") == "0")
    }

    @Test("A server that lets nobody in is a fault with its fix")
    func turnedAway() throws {
        let server = try PostgreSQLServer(password: "right", isOnNetwork: true)
        try installation.keepLedger(in: server.url())
        let environment = ["PGPASSFILE": installation.directory.path("passfile")]
        func expectFault(_ url: String, _ words: String...) throws {
            let outcome = try installation.check("--ledger-url", url, environment: environment)
            for word in words { outcome.expect(78, "error: --ledger-url: ledger.url: ", word) }
        }
        let network = server.networkURL("sslmode=disable")
        try expectFault(network, "28P01", "passfile", "127.0.0.1:\(server.port ?? 0)")
        try installation.directory.write("passfile", "*:*:*:*:right\n", mode: 0o640)
        try expectFault(network, "chmod 0600")
        try installation.directory.write("passfile", "*:*:*:*:right\n", mode: 0o600)
        let fine = try installation.check("--ledger-url", network, environment: environment)
        #expect(fine.status == 0 && !fine.errors.contains("WARNING"), "\(fine.errors)")
        try expectFault(server.url(of: "nowhere"), "3D000", "no such database")
    }
    @Test("What lasts is a fault that says what to do, and only silence and a refused connection are warnings")
    func lastingFaults() throws {
        let directory = installation.directory
        for authority in ["authority", "other"] { try installation.makeAuthority(authority) }
        try installation.makeCertificate("server", by: "authority")
        let files = (certificate: directory.path("server.pem"), key: directory.path("server.key"))
        let server = try PostgreSQLServer(tls: files)
        try installation.keepLedger(in: server.url())
        for sql in [
            "CREATE ROLE reader LOGIN", "ALTER ROLE reader SET default_transaction_read_only = on",
            "CREATE ROLE crowded LOGIN CONNECTION LIMIT 0", "CREATE DATABASE closed ALLOW_CONNECTIONS false",
            "CREATE ROLE lost LOGIN SUPERUSER", "ALTER ROLE lost SET search_path = pg_catalog",
        ] { try server.query(sql) }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.key)
        func local(_ user: String, _ query: String = "", of database: String = "postgres") -> String {
            server.url(of: database).replacing("//postgres@", with: "//\(user)@") + query
        }
        let verified = "sslmode=verify-full&sslrootcert="
        let faults = [
            (server.networkURL(verified + directory.path("other.pem")), "sslrootcert has to name the CA"),
            (server.networkURL(verified + "/nonexistent.pem"), "let sslrootcert name a file that is there"),
            (server.networkURL("sslmode=require&sslcert=\(files.certificate)&sslkey=\(files.key)"), "chmod 0600"),
            (server.networkURL("sslmode=require"), "VALID UNTIL"),
            (local("reader"), "default_transaction_read_only is on"),
            (local("reader", "&target_session_attrs=any"), "default_transaction_read_only is on"),
            (local("crowded"), "CONNECTION LIMIT"), (local("postgres", of: "closed"), "ALLOW_CONNECTIONS"),
            (local("lost"), "ALTER ROLE lost SET search_path"),
            (local("nobody"), "does not let this user in from here; see its pg_hba.conf"),
            (local("postgres", "&target_session_attrs=standby"), "leave it out"),
        ]
        for (url, words) in faults {
            let outcome = try installation.check("--ledger-url", url)
            #expect(outcome.status == 78, "\(url): \(outcome.text) \(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(url): \(outcome.errors)")
        }
        server.freeze()
        let silent = try installation.check("--ledger-url", server.networkURL("sslmode=disable"))
        server.freeze(false)
        #expect(silent.status == 0 && silent.errors.contains("there was no answer "), "\(silent.errors)")
        server.stop()
        try installation.check("--ledger-url", server.networkURL("sslmode=disable")).expect(0, "Connection refused")
    }
}
