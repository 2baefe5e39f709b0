package import Offers

extension Journal: OfferTally, HoldoutRecords {
    /// What keeps statistics from being written, in a sentence; `nil` when nothing does.
    package var statisticsWarning: String? {
        guard let failure = writer.failure ?? group.failure, !writer.statistics.isEmpty else { return nil }
        return "counts of decisions and customers of offers with a holdout wait to be written, and are lost at a stop: "
            + failure.detail
    }

    package func count(_ decision: CountedDecision) { writer.statistics.count(decision) }

    package func note(_ customer: HoldoutCustomer) { writer.statistics.add(customer) }

    /// Deletes what is held of a customer of holdouts, and of the subscriptions that are held of the account.
    ///
    /// Another process may still write what it counted in the last seconds.
    package func forgetHoldouts(
        of customer: String,
        account: AccountDigest,
        bundleId: String,
        by draw: any HoldoutDraw
    ) async throws(StorageFailure) {
        let own = draw.digest(ofCustomer: customer, originalTransactionId: nil, bundleId: bundleId)
        try await queue.perform { [self] () throws(StorageFailure) in
            writer.writeRiders(isLast: true)
            try store.database.transaction(.repeatable) { session throws(StorageFailure) in
                let ids = try session.run(HoldoutSQL.subscriptionsOf, .bytes(account.bytes), .text(bundleId))
                for digest in [own, account] { try session.send(SQLCall(HoldoutSQL.forget, .bytes(digest.bytes))) }
                for row in ids.rows {
                    let id = try ids.text(row, 0)
                    let digest = draw.digest(ofCustomer: nil, originalTransactionId: id, bundleId: bundleId)
                    try session.send(SQLCall(HoldoutSQL.forget, .bytes(digest.bytes)))
                }
            }
        }
    }
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
