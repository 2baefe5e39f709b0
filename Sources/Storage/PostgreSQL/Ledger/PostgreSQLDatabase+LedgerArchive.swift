import Offers

extension PostgreSQLDatabase: LedgerArchive {
    public func chains() throws(StorageFailure) -> [LedgerChain] {
        try workWaiting { connection throws(PostgreSQLError) in
            try connection.run(PostgreSQLLedgerStatements.shared(LedgerSQL.chains)).chains()
        }
    }

    public func records(
        of writer: String,
        after number: Int64,
        limit: Int
    ) throws(StorageFailure) -> [LedgerRecord] {
        let call = PostgreSQLLedgerStatements.shared(
            LedgerSQL.records,
            .text(writer),
            .integer(number),
            .integer(Int64(limit))
        )
        return try workWaiting { connection throws(PostgreSQLError) in try connection.run(call).records() }
    }

    public func records(after place: LedgerPlace, limit: Int) throws(StorageFailure) -> [LedgerRecord] {
        let call = PostgreSQLLedgerStatements.shared(
            LedgerSQL.recordsByTime,
            .integer(place.time.millisecondsSince1970),
            .text(place.writer),
            .integer(place.number),
            .integer(Int64(limit))
        )
        return try workWaiting { connection throws(PostgreSQLError) in try connection.run(call).records() }
    }

    public func checkpoints(
        _ kind: LedgerCheckpoint.Kind,
        of writer: String,
        after number: Int64,
        limit: Int
    ) throws(StorageFailure) -> [LedgerCheckpoint] {
        let call = PostgreSQLLedgerStatements.shared(
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
