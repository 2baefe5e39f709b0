import PostgreSQLServer
import Testing

@testable import Storage

/// The PostgreSQL server that tests share which leave it running.
enum TestServer {
    // `nonisolated(unsafe)`: made once, and only its methods without state of their own are used after that.
    nonisolated(unsafe) private static let shared = Result { try PostgreSQLServer() }

    /// The server's version, as `server_version_num` has it; 0 where there is none.
    static var version: Int { (try? shared.get().query("SHOW server_version_num")).flatMap { Int($0) } ?? 0 }

    /// An empty database of its own.
    static func makeDatabase() throws -> PostgreSQLLocation {
        let server = try shared.get()
        return try PostgreSQLLocation(url: server.url(of: server.makeDatabase()))
    }
}

/// A role with an empty database.
struct TestRole {
    let database: PostgreSQLLocation
    let administrator: PostgreSQLConnection
    let name: String
    /// The database, for the role.
    let location: PostgreSQLLocation

    init() throws {
        database = try TestServer.makeDatabase()
        administrator = try PostgreSQLConnection(to: database)
        name = try administrator.query("SELECT current_database()::text").text(0, 0)
        try administrator.query("CREATE ROLE \(name) LOGIN")
        let host = try #require(database.parameters["host"])
        location = try PostgreSQLLocation(url: "postgres://\(name)@/\(name)?host=\(host)")
    }

    /// Has the administrator make the tables, and lets the role do with them all that a service does.
    func migrate() throws {
        try PostgreSQLDatabase.migrate(administrator, at: "here")
        try grant("SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public")
    }

    func grant(_ right: String) throws { try administrator.query("GRANT \(right) TO \(name)") }

    func revoke(_ right: String) throws { try administrator.query("REVOKE \(right) FROM \(name)") }
}

extension PostgreSQLConnection {
    /// A connection whose transactions the server does not end when they idle.
    static func patient(_ location: PostgreSQLLocation) throws -> PostgreSQLConnection {
        var limits = PostgreSQLLimits()
        limits.batch = .seconds(600)
        return try PostgreSQLConnection(to: location, limits: limits)
    }

    /// Begins a transaction that keeps rows of ``LockRows``, as that of another service does.
    static func keeping(_ rows: Set<Int64>, _ location: PostgreSQLLocation) throws -> PostgreSQLConnection {
        let connection = try patient(location)
        try connection.query("BEGIN")
        #expect(try connection.run(LockRows.lock(rows)).cells == [.integer(Int64(rows.count))])
        return connection
    }

    /// Runs SQL whose shape no test of statements cares for.
    @discardableResult
    func query(_ sql: String, _ values: SQLValue...) throws(PostgreSQLError) -> Rows {
        try run(SQLCall(sql, values))
    }
}
