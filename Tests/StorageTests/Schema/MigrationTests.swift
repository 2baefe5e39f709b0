import Offers
import Testing

@testable import Storage

@Suite("The tables of a database", .timeLimit(.minutes(30)))
struct MigrationTests {
    @Test("Processes that open a new database at the same time make its tables once", arguments: LedgerHome.allCases)
    func race(home: LedgerHome) async throws {
        // SQLite refused one of eight in a fifth of new files, so twenty are made.
        for _ in 0..<(home == .sqlite ? 20 : 1) {
            let fixture = try LedgerFixture(home)
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { _ = try fixture.database() } }
                try await group.waitForAll()
            }
            let made = try fixture.rows("SELECT name FROM schema_migrations")
            #expect(made.sorted() == Migration.inOrder.map(\.name).sorted())
        }
    }

    @Test(
        "A database that a newer version has changed is refused, by its name and that of the change",
        arguments: LedgerHome.allCases,
        [true, false]
    )
    func newerSchema(home: LedgerHome, toRead: Bool) throws {
        let fixture = try LedgerFixture(home)
        let name = try fixture.database().name
        try fixture.execute("INSERT INTO schema_migrations (name) VALUES ('from the future')")
        let failure = #expect(throws: StorageFailure(.newerSchema, "")) { try fixture.database(readOnly: toRead) }
        for words in ["from the future", name] {
            #expect(failure?.detail.contains(words) == true, "\(failure?.detail ?? "")")
        }
    }

    @Test("A later version adds its steps to the tables that are there, once", arguments: LedgerHome.allCases)
    func nextVersion(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let database = try fixture.database()
        let steps = Migration.inOrder + [Migration("2", ["ALTER TABLE ledger_key_marks ADD COLUMN note TEXT"])]
        for _ in 0..<2 {
            try database.transaction(.beside) { session throws(StorageFailure) in
                _ = try Migration.migrate(session, at: "here", steps: steps)
            }
        }
        let count = try database.read { session throws(StorageFailure) in
            try session.run("SELECT count(note) FROM ledger_key_marks").integer(0, 0)
        }
        #expect(count == 0)
        #expect(throws: StorageFailure(.newerSchema, "")) { try fixture.database() }
    }

    @Test("Tables stay where they are, and the next version's are made beside them, whatever else comes into the path")
    func schema() throws {
        let location = try TestServer.makeDatabase()
        let connection = try PostgreSQLConnection(to: location)
        try PostgreSQLDatabase.migrate(connection, at: "here")
        try connection.query("DROP TABLE ledger_key_marks")
        try connection.query("DELETE FROM schema_migrations")
        // The default path begins with a schema of the user's name.
        try connection.query("CREATE SCHEMA postgres")
        let another = try PostgreSQLConnection(to: location)
        let steps = [Migration("next", ["CREATE TABLE ledger_key_marks (name TEXT)"])]
        _ = try PostgreSQLSession.transaction(on: another, at: "here") { session throws(StorageFailure) in
            try session.run(PostgreSQLDatabase.stay)
            try Migration.migrate(session, at: "here", steps: steps)
        }.get()
        #expect(try connection.query("SELECT name FROM public.schema_migrations").text(0, 0) == "next")
        #expect(try connection.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'postgres'").integer(0, 0) == 0)
    }
}
