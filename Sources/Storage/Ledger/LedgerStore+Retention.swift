import Offers

extension LedgerStore {
    /// How old a record has to be before its time is believed, in seconds: a day.
    private static var secondsUntilBelieved: Int64 { 86_400 }
    /// How far the clock is believed to be beyond that record, in seconds: thirty days without a signature.
    private static var longestPauseSeconds: Int64 { 30 * 86_400 }

    /// Deletes some of what is older than the ledger keeps it, as far as the clock can be believed.
    ///
    /// Days are counted back from the clock, which is believed up to thirty days after the newest record that is a day old.
    /// So a clock that is years ahead deletes little before its time until the service has signed by that clock for a
    /// day, whatever is started again meanwhile; a service that was away for longer deletes later.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: How many rows were deleted; 0 when nothing is left that is old enough.
    /// - Throws: ``StorageFailure``.
    func deleteOld(byClock now: Timestamp) throws(StorageFailure) -> Int {
        guard let known = try newestRecord(before: now.adding(seconds: -Self.secondsUntilBelieved)) else { return 0 }
        return try deleteOld(countingFrom: min(now, known.adding(seconds: Self.longestPauseSeconds)))
    }
}
