import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

@Suite("Code in the ledger's database, and a database that was set back", .serialized, .timeLimit(.minutes(30)))
struct LedgerCodeTests {
    private let installation: Installation

    init() throws {
        installation = try Installation()
        try installation.limit(offer: "maximumSignaturesPerCustomer: 1")
    }

    private func isSigned(_ customer: String, by service: RunningService) throws -> Bool {
        try service.sign(Customers.request(customer)).decisions.first?["discount"] != nil
    }

    /// Expects that nothing is signed, and that all that looks at the ledger names the finding.
    private func expectRefusal(of finding: String, by service: RunningService) throws {
        for number in 0..<5 {
            let refused = try service.sign(Customers.request("during-\(number)"))
            #expect(refused.summary == "503 ledger_unavailable", "\(refused.json)")
        }
        try service.expectFault(finding)
        for (arguments, status) in [(["ledger", "verify"], 1), (["check"], 78)] as [([String], Int32)] {
            let outcome = try Executable.run(arguments + ["--config", installation.configuration])
            #expect(outcome.status == status)
            #expect(outcome.errors.contains(finding), "\(arguments): \(outcome.errors)")
        }
    }

    private typealias Attack = (finding: String, sql: String, undoing: String)

    private func withstand(_ attacks: [Attack], by run: (String) throws -> Void) throws {
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        #expect(try isSigned("before", by: service))
        var services = [service]
        for attack in attacks {
            try run(attack.sql)
            try expectRefusal(of: attack.finding, by: service)
            if services.count == 1 {
                // Nor does a service sign that starts now.
                services.append(try RunningService(installation))
                try expectRefusal(of: attack.finding, by: services[1])
            }
            try run(attack.undoing)
            for service in services { try service.waitUntilReadiness(is: 200) }
        }
        for (number, service) in services.enumerated() {
            #expect(try isSigned("after-\(number)", by: service))
            #expect(try !isSigned("before", by: service))
            service.stop()
        }
        try installation.ledger("verify").expect(0)
        #expect(try installation.records().count == 3)
    }

    @Test("A trigger or a view in the file: nothing is signed, and /readyz, check and verify name it")
    func file() throws {
        let trigger = "CREATE TRIGGER evil AFTER INSERT ON ledger_records BEGIN DELETE FROM ledger_records; END"
        let view = "ALTER TABLE ledger_records RENAME TO a; CREATE VIEW ledger_records AS SELECT * FROM a WHERE 0"
        try withstand([
            ("trigger evil on ledger_records was added", trigger, "DROP TRIGGER evil"),
            ("view ledger_records was added", view, "DROP VIEW ledger_records; ALTER TABLE a RENAME TO ledger_records"),
        ]) { try installation.sql($0) }
    }

    @Test("A dump is restored under two replicas: no one signs until an operator knows of the loss, and then both do")
    func restored() throws {
        // One customer may have as many as there are.
        let (server, installation) = (try PostgreSQLServer(), try Installation())
        try installation.keepLedger(in: server.url())
        let services = [try RunningService(installation), try RunningService(installation)]
        for service in services {
            try service.waitUntilReadiness(is: 200)
            #expect(try isSigned("alice", by: service))
        }
        let tables = ["ledger_chains", "ledger_records", "ledger_statements", "ledger_checkpoints"]
        for table in tables { try server.query("CREATE TABLE kept_\(table) AS SELECT * FROM \(table)") }
        for _ in 0..<3 { #expect(try isSigned("alice", by: services[0])) }
        try server.query(
            "BEGIN; "
                + tables.map { "DELETE FROM \($0); INSERT INTO \($0) SELECT * FROM kept_\($0); " }.joined()
                + "COMMIT"
        )
        for service in services { try service.expectFault("the database lost 3 records") }
        for service in services {
            #expect(try service.sign(Customers.request("alice")).summary == "503 ledger_unavailable")
        }
        try installation.check().expect(0, "warning: the database lost 3 records")
        try installation.ledger("verify").expect(0, "lost: 3 records of chain")
        let acknowledged = try installation.ledger("acknowledge")
        #expect(acknowledged.text.contains("Acknowledged: 3 records of chain"), "\(acknowledged.text)")
        for service in services {
            try service.waitUntilReadiness(is: 200)
            #expect(try isSigned("alice", by: service))
        }
    }

    @Test(
        "Two roles, by the statements of deploy/postgresql.md: one owns and migrates, one serves and can change no table"
    )
    func twoRoles() throws {
        let server = try PostgreSQLServer()
        let database = try server.makeDatabase()
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/postgresql.md")
        let section = try String(contentsOf: page, encoding: .utf8).split(separator: "## Two roles").last
        let blocks = (section ?? "").split(separator: "```").filter { $0.hasPrefix("sql\n") }
        try #require(blocks.count >= 2)
        let owner = server.url(of: database).replacing("//postgres@", with: "//offer_signer_owner@")
        let url = server.url(of: database).replacing("//postgres@", with: "//offer_signer@")
        // A ledger of one role, which served and owned all.
        try server.query("CREATE ROLE offer_signer LOGIN")
        try server.query("ALTER DATABASE \(database) OWNER TO offer_signer")
        try installation.keepLedger(in: url)
        let first = try RunningService(installation)
        try first.waitUntilReadiness(is: 200)
        #expect(try isSigned("first", by: first))
        first.stop()
        try installation.check().expect(0, "owns the tables")
        // The statements of the page, as they are.
        try server.query("CREATE ROLE offer_signer_owner LOGIN")
        for block in blocks {
            for statement in block.dropFirst(4).split(separator: ";\n") where !statement.contains("CREATE ROLE") {
                try server.query(String(statement), in: database)
            }
        }
        let migrated = try installation.ledger("migrate", "--ledger-url", owner)
        #expect(migrated.status == 0 && migrated.text == "Nothing was due.\n", "\(migrated.text)\(migrated.errors)")
        let fine = try installation.check("--strict")
        #expect(fine.status == 0 && fine.errors.isEmpty, "\(fine.errors)")
        // A new table of a later version is the owner's, and the service may use it at once.
        try server.query("DROP TABLE ledger_losses; DELETE FROM schema_migrations WHERE name = 'losses'", in: database)
        let waiting = try RunningService(installation)
        try waiting.expectFault("offer-signer ledger migrate")
        try installation.check().expect(78, "offer-signer ledger migrate")
        let made = try installation.ledger("migrate", "--ledger-url", owner)
        #expect(made.text == "Made: step losses.\nThe tables are up to date.\n", "\(made.text)\(made.errors)")
        try waiting.waitUntilReadiness(is: 200)
        #expect(try isSigned("second", by: waiting))
        for attack in [
            "CREATE TRIGGER evil BEFORE UPDATE ON ledger_records FOR EACH ROW "
                + "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "CREATE RULE evil AS ON INSERT TO ledger_records DO INSTEAD NOTHING", "CREATE TABLE mine (value TEXT)",
            "ALTER TABLE ledger_records ADD COLUMN evil TEXT", "DROP INDEX ledger_records_time",
        ] { #expect(throws: (any Error).self) { try server.query("SET ROLE offer_signer; " + attack, in: database) } }
        waiting.stop()
        let verified = try installation.ledger("verify")
        #expect(verified.status == 0 && verified.text.hasPrefix("2 records"), "\(verified.text)\(verified.errors)")
        try server.query("REVOKE SELECT ON ledger_records FROM offer_signer", in: database)
        try installation.check().expect(78, "the user may not do this")
    }
}
