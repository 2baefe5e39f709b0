/// A ledger to be read: page by page, so that it may be as long as it likes.
public protocol LedgerArchive: Sendable {
    /// All chains, in the order in which they began.
    ///
    /// - Returns: The chains.
    /// - Throws: ``StorageFailure``.
    func chains() throws(StorageFailure) -> [LedgerChain]

    /// The writers who have records or checkpoints, but no chain.
    ///
    /// - Returns: The writers; none unless somebody tampered.
    /// - Throws: ``StorageFailure``.
    func strays() throws(StorageFailure) -> [LedgerStray]

    /// The lowest number of a chain's records.
    ///
    /// - Parameter writer: The chain's writer.
    /// - Returns: The number; `nil` when there are no records.
    /// - Throws: ``StorageFailure``; its code is ``StorageFailure/Code/malformed`` when it is no number.
    func firstNumber(of writer: String) throws(StorageFailure) -> Int64?

    /// The records of a chain, in their order.
    ///
    /// - Parameters:
    ///   - writer: The chain's writer.
    ///   - number: The number of the record before the first.
    ///   - limit: How many at the most.
    /// - Returns: The records; fewer than the limit at the end.
    /// - Throws: ``StorageFailure``; its code is ``StorageFailure/Code/malformed`` for a row that is no record.
    func records(of writer: String, after number: Int64, limit: Int) throws(StorageFailure) -> [LedgerRecord]

    /// The records of all chains, in the order of their times.
    ///
    /// - Parameters:
    ///   - place: The record before the first.
    ///   - limit: How many at the most.
    /// - Returns: The records; fewer than the limit at the end.
    /// - Throws: ``StorageFailure``.
    func records(after place: LedgerPlace, limit: Int) throws(StorageFailure) -> [LedgerRecord]

    /// The record of a signature.
    ///
    /// - Parameter nonce: The signature's nonce, in lowercase.
    /// - Returns: The record; `nil` when there is none.
    /// - Throws: ``StorageFailure``.
    func record(nonce: String) throws(StorageFailure) -> LedgerRecord?

    /// The statements about a chain, in the order of their records.
    ///
    /// - Parameters:
    ///   - kind: Which statements.
    ///   - writer: The chain's writer.
    ///   - number: The number of the record from which on they are wanted, itself left out.
    ///   - limit: How many at the most.
    /// - Returns: The statements.
    /// - Throws: ``StorageFailure``.
    func checkpoints(
        _ kind: LedgerCheckpoint.Kind,
        of writer: String,
        after number: Int64,
        limit: Int
    ) throws(StorageFailure) -> [LedgerCheckpoint]
}
