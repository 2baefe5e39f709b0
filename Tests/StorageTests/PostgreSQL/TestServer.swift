import ChildProcess
import PostgreSQLServer

@testable import Storage

/// The PostgreSQL server that tests share which leave it running.
enum TestServer {
    // `nonisolated(unsafe)`: made once, and only its methods without state of their own are used after that.
    nonisolated(unsafe) private static let shared = Result { try PostgreSQLServer() }

    /// An empty database of its own.
    static func makeDatabase() throws -> PostgreSQLLocation {
        let server = try shared.get()
        return try PostgreSQLLocation(url: server.url(of: server.makeDatabase()))
    }
}

extension PostgreSQLWorker {
    convenience init(
        name: String,
        location: PostgreSQLLocation,
        limits: PostgreSQLLimits = PostgreSQLLimits(),
        prepare: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Void = { _ in },
        report: @escaping @Sendable (PostgreSQLError?) -> Void = { _ in }
    ) {
        self.init(
            name: name,
            hosts: PostgreSQLHosts(location),
            limits: limits,
            prepare: prepare,
            report: report
        )
    }
}

extension PostgreSQLConnection {
    /// Runs SQL whose shape no test of statements cares for.
    @discardableResult
    func query(_ sql: String, _ values: SQLValue...) throws(PostgreSQLError) -> Rows {
        try run(SQLCall(sql, values))
    }
}
