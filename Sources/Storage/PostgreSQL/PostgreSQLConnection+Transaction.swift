extension PostgreSQLConnection {
    /// Runs statements in two steps of one transaction, the second depending on what the first found.
    ///
    /// Two round trips: `BEGIN` travels with the first step, `COMMIT` with the second. A lock that the first step takes
    /// is held until the commit.
    ///
    /// - Parameters:
    ///   - calls: The first step; what it answers is handed to `body`.
    ///   - body: Decides what to do.
    /// - Returns: What `body` returned, when everything is committed.
    /// - Throws: ``PostgreSQLError``. Nothing has an effect then, except where the outcome is not known.
    func transaction<Value>(
        _ calls: [PostgreSQLCall],
        _ body: ([PostgreSQLRows]) throws(PostgreSQLError) -> (Value, [PostgreSQLCall])
    ) throws(PostgreSQLError) -> Value {
        do throws(PostgreSQLError) {
            let found = Array(try run([PostgreSQLStatement.begin()] + calls).dropFirst())
            let (value, changes) = try body(found)
            let answers = try run(changes + [PostgreSQLStatement.commit()])
            // A transaction that failed before answers COMMIT with ROLLBACK.
            guard answers.last?.command == "COMMIT" else { throw PostgreSQLError(.unexpectedAnswer, "no commit") }
            return value
        } catch {
            if !isBroken { _ = try? run(PostgreSQLStatement.rollback()) }
            throw error
        }
    }
}
