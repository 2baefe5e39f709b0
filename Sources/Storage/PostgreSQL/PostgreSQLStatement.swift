/// A statement that a connection prepares once and then runs by its name.
struct PostgreSQLStatement: Hashable, Sendable {
    /// Its name on the server, unique among all statements of this program.
    let name: String
    /// The statement, with `$1`, `$2`… for its parameters. One, without a semicolon.
    let sql: String

    /// The statement with its parameters.
    ///
    /// - Parameter values: The parameters, in order.
    /// - Returns: What to run.
    func callAsFunction(_ values: PostgreSQLValue...) -> PostgreSQLCall {
        PostgreSQLCall(statement: self, values: values)
    }

    static let begin = PostgreSQLStatement(name: "begin", sql: "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = PostgreSQLStatement(name: "commit", sql: "COMMIT")
    static let rollback = PostgreSQLStatement(name: "rollback", sql: "ROLLBACK")
}

/// A statement and the values of its parameters.
struct PostgreSQLCall: Sendable {
    /// The statement.
    let statement: PostgreSQLStatement
    /// The parameters, in order.
    let values: [PostgreSQLValue]
}
