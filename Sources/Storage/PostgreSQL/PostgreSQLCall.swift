/// A statement and the values of its parameters.
struct PostgreSQLCall: Sendable {
    /// The statement.
    let statement: PostgreSQLStatement
    /// The parameters, in order.
    let values: [PostgreSQLValue]
}
