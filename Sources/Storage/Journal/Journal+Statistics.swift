package import Offers

extension Journal: OfferTally, HoldoutRecords {
    /// What keeps statistics from being written, in a sentence; `nil` when nothing does.
    package var statisticsWarning: String? {
        guard let failure = writer.failure ?? group.failure, !writer.statistics.isEmpty else { return nil }
        return "counts of decisions and customers of offers with a holdout wait to be written, and are lost at a stop: "
            + failure.detail
    }

    package func count(_ decision: CountedDecision) { writer.statistics.count(decision) }

    package func record(_ customer: HoldoutCustomer) { writer.statistics.add(customer) }
}

extension LedgerStore {
    /// Deletes some of the oldest customers of holdouts, and gives their number.
    func deleteHoldouts(byClock moment: Timestamp) throws(StorageFailure) -> Int {
        guard let retentionDays else { return 0 }
        let limit = moment.adding(days: -retentionDays)
        return try database.transaction(.repeatable) { session throws(StorageFailure) in
            try session.run(HoldoutSQL.deleteOld, .time(limit)).changes
        }
    }
}
