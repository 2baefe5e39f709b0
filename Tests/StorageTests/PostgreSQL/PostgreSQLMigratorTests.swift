import Offers
import Testing

@testable import Storage

@Suite("The tables in PostgreSQL")
struct PostgreSQLMigratorTests {
    private let location: PostgreSQLLocation

    init() throws { location = try TestServer.makeDatabase() }

    @Test("Processes that open a new database at the same time make its tables once", .timeLimit(.minutes(30)))
    func race() async throws {
        let location = location
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let connection = try PostgreSQLConnection(to: location)
                    try PostgreSQLDatabase.migrate(connection, at: "here")
                }
            }
            try await group.waitForAll()
        }
        let connection = try PostgreSQLConnection(to: location)
        let names = try connection.query("SELECT name FROM schema_migrations")
        #expect(Set(try names.rows.map { try names.text($0, 0) }) == Set(Migration.inOrder.map(\.name)))
    }

    @Test("Tables that another version has changed are refused, by the name of the change")
    func newerSchema() throws {
        let connection = try PostgreSQLConnection(to: location)
        try connection.query(Migration.table)
        try connection.query("INSERT INTO schema_migrations (name) VALUES ('from the future')")
        let error = #expect(throws: PostgreSQLError.self) {
            try PostgreSQLDatabase.migrate(connection, at: "db, database offers")
        }
        #expect(error.map { StorageFailure($0, at: location.name).code } == .newerSchema)
        #expect(error?.description.contains("from the future") == true)
        #expect(error?.isRetryable == false)
    }

    @Test("Tables stay where they are, and the next version's are made beside them, whatever else comes into the path")
    func schema() throws {
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

    @Test("A table of the same name that comes before ours in the path is not used")
    func shadow() throws {
        try PostgreSQLDatabase.migrate(try PostgreSQLConnection(to: location), at: "here")
        let other = try PostgreSQLConnection(to: location)
        try other.query("CREATE SCHEMA postgres")
        let connection = try PostgreSQLConnection(to: location)
        try connection.query(PostgreSQLDatabase.stay)
        try other.query("CREATE TABLE postgres.ledger_chains (n int8)")
        #expect(try connection.query("SELECT writer FROM ledger_chains").count == 0)
    }
}
