import GRDB
import Offers

extension SQLiteDatabase: LedgerArchive {
    /// All chains, in the order in which they began.
    ///
    /// - Returns: The chains.
    /// - Throws: ``StorageFailure``.
    public func chains() throws(StorageFailure) -> [LedgerChain] {
        try read { try $0.chains(exactly: true) }
    }

    /// The writers who have records or checkpoints, but no chain.
    ///
    /// - Returns: The writers.
    /// - Throws: ``StorageFailure``.
    public func strays() throws(StorageFailure) -> [LedgerStray] {
        try read { try $0.strays() }
    }

    /// The lowest number of a chain's records.
    ///
    /// - Parameter writer: The chain's writer.
    /// - Returns: The number; `nil` when there are no records.
    /// - Throws: ``StorageFailure``.
    public func firstNumber(of writer: String) throws(StorageFailure) -> Int64? {
        try read { try $0.firstNumber(of: writer) }
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
        try read { try $0.records(LedgerSQL.records, [writer, number, limit], exactly: true) }
    }

    /// The records of all chains, in the order of their times.
    ///
    /// - Parameters:
    ///   - place: The record before the first.
    ///   - limit: How many at the most.
    /// - Returns: The records.
    /// - Throws: ``StorageFailure``.
    public func records(after place: LedgerPlace, limit: Int) throws(StorageFailure) -> [LedgerRecord] {
        do throws(StorageFailure) {
            return try read { database in
                try database.records(
                    LedgerSQL.recordsByTime,
                    [place.time.millisecondsSince1970, place.writer, place.number, limit]
                )
            }
        } catch {
            guard error.code == .malformed else { throw error }
            throw StorageFailure(
                .malformed,
                "\(path): \(error.detail): somebody changed it; see what `offer-signer ledger verify` says, and restore the "
                    + "ledger from a backup"
            )
        }
    }

    /// The record of a signature.
    ///
    /// - Parameter nonce: The signature's nonce, in lowercase.
    /// - Returns: The record; `nil` when there is none.
    /// - Throws: ``StorageFailure``.
    public func record(nonce: String) throws(StorageFailure) -> LedgerRecord? {
        try read { try $0.record(nonce: nonce) }
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
        try read { database in
            try database.checkpoints(
                LedgerSQL.checkpoints,
                [writer, kind.rawValue, number, limit],
                of: writer,
                kind
            )
        }
    }
}
