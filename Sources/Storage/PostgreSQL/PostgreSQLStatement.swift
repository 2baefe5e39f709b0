/// A statement, which each connection prepares once.
struct PostgreSQLStatement: Hashable, Sendable {
    /// One statement without a semicolon, its parameters written as `$1` and so on.
    let sql: String

    /// The statement with its parameters.
    ///
    /// - Parameter values: The parameters, in order.
    /// - Returns: What to run.
    func callAsFunction(_ values: PostgreSQLValue...) -> PostgreSQLCall {
        PostgreSQLCall(statement: self, values: values)
    }

    static let begin = PostgreSQLStatement(sql: "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = PostgreSQLStatement(sql: "COMMIT")
    static let rollback = PostgreSQLStatement(sql: "ROLLBACK")
}
