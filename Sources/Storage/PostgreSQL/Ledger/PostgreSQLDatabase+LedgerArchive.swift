import Offers

extension PostgreSQLDatabase: LedgerArchive {
    /// All chains, in the order in which they began.
    ///
    /// - Returns: The chains.
    /// - Throws: ``StorageFailure``.
    public func chains() throws(StorageFailure) -> [LedgerChain] {
        try workWaiting { connection throws(PostgreSQLError) in
            try connection.run(PostgreSQLCall(LedgerSQL.chains)).chains()
        }
    }

    /// The writers who have records or checkpoints, but no chain.
    ///
    /// - Returns: The writers.
    /// - Throws: ``StorageFailure``.
    public func strays() throws(StorageFailure) -> [LedgerStray] {
        try workWaiting { connection throws(PostgreSQLError) in
            try connection.run(PostgreSQLCall(LedgerStray.all)).strays()
        }
    }

    /// The lowest number of a chain's records.
    ///
    /// - Parameter writer: The chain's writer.
    /// - Returns: The number; `nil` when there are no records.
    /// - Throws: ``StorageFailure``.
    public func firstNumber(of writer: String) throws(StorageFailure) -> Int64? {
        let call = PostgreSQLCall(LedgerSQL.firstNumber, .text(writer))
        return try workWaiting { connection throws(PostgreSQLError) in
            let rows = try connection.run(call)
            return rows.count > 0 ? try rows.integer(0, 0) : nil
        }
    }

    /// The records of a chain, in their order.
    ///
    /// - Parameters:
    ///   - writer: The chain's writer.
    ///   - number: The number of the record before the first.
    ///   - limit: How many at the most.
    /// - Returns: The records.
    /// - Throws: ``StorageFailure``.
    public func records(
        of writer: String,
        after number: Int64,
        limit: Int
    ) throws(StorageFailure) -> [LedgerRecord] {
        let call = PostgreSQLCall(
            LedgerSQL.records,
            .text(writer),
            .integer(number),
            .integer(Int64(limit))
        )
        return try workWaiting { connection throws(PostgreSQLError) in try connection.run(call).records() }
    }

    /// The records of all chains, in the order of their times.
    ///
    /// - Parameters:
    ///   - place: The record before the first.
    ///   - limit: How many at the most.
    /// - Returns: The records.
    /// - Throws: ``StorageFailure``.
    public func records(after place: LedgerPlace, limit: Int) throws(StorageFailure) -> [LedgerRecord] {
        let call = PostgreSQLCall(
            LedgerSQL.recordsByTime,
            .integer(place.time.millisecondsSince1970),
            .text(place.writer),
            .integer(place.number),
            .integer(Int64(limit))
        )
        return try workWaiting { connection throws(PostgreSQLError) in try connection.run(call).records() }
    }

    /// The record of a signature.
    ///
    /// - Parameter nonce: The signature's nonce, in lowercase.
    /// - Returns: The record; `nil` when there is none.
    /// - Throws: ``StorageFailure``.
    public func record(nonce: String) throws(StorageFailure) -> LedgerRecord? {
        let call = PostgreSQLCall(LedgerSQL.recordsOfNonce, .text(nonce))
        return try workWaiting { connection throws(PostgreSQLError) in try connection.run(call).records().first }
    }

    /// The statements about a chain, in the order of their records.
    ///
    /// - Parameters:
    ///   - kind: Which statements.
    ///   - writer: The chain's writer.
    ///   - number: The number of the record from which on they are wanted, itself left out.
    ///   - limit: How many at the most.
    /// - Returns: The statements.
    /// - Throws: ``StorageFailure``.
    public func checkpoints(
        _ kind: LedgerCheckpoint.Kind,
        of writer: String,
        after number: Int64,
        limit: Int
    ) throws(StorageFailure) -> [LedgerCheckpoint] {
        let call = PostgreSQLCall(
            LedgerSQL.checkpoints,
            .text(writer),
            .text(kind.rawValue),
            .integer(number),
            .integer(Int64(limit))
        )
        return try workWaiting { connection throws(PostgreSQLError) in
            try connection.run(call).checkpoints(kind, of: writer)
        }
    }
}
