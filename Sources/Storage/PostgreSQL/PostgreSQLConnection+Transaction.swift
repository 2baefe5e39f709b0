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

    /// Tries a transaction again that another one was in the way of: nothing of it was done then (class 40 of SQLSTATE).
    ///
    /// - Parameter transaction: The transaction; it is tried four times at the most.
    /// - Returns: What it returned.
    /// - Throws: ``PostgreSQLError``, the last one where it was always in the way.
    static func retryingCollisions<Value>(
        _ transaction: () throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> Value {
        for _ in 1..<4 {
            do throws(PostgreSQLError) {
                return try transaction()
            } catch {
                guard case .refused(let state) = error.code, state.classCode == "40" else { throw error }
            }
        }
        return try transaction()
    }
}
