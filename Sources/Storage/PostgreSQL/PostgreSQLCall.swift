/// A statement and the values of its parameters.
struct PostgreSQLCall: Sendable {
    /// The statement.
    let statement: PostgreSQLStatement
    /// The parameters, in order.
    let values: [PostgreSQLValue]
}

extension PostgreSQLCall {
    /// A call of SQL that both databases take.
    ///
    /// - Parameters:
    ///   - sql: The SQL.
    ///   - values: Its parameters, in order.
    init(_ sql: String, _ values: [PostgreSQLValue]) {
        self.init(statement: PostgreSQLStatement(sql: sql), values: values)
    }

    /// A call of SQL that both databases take.
    ///
    /// - Parameters:
    ///   - sql: The SQL.
    ///   - values: Its parameters, in order.
    init(_ sql: String, _ values: PostgreSQLValue...) {
        self.init(sql, values)
    }
}
