package import Offers

/// Where counted decisions are kept, by day.
package protocol OfferCountStore: Sendable {
    /// Adds counted decisions to what is there; several services add to the same.
    ///
    /// A blocking call, for the thread of ``DurableOfferTally``.
    ///
    /// - Parameters:
    ///   - counts: How many decisions of each kind.
    ///   - day: The day, counted from 1970-01-01 on.
    /// - Throws: ``StorageFailure`` when nothing was added, as far as is known.
    func add(_ counts: [CountedDecision: Int], on day: Int64) throws(StorageFailure)
}

extension OfferCountStore where Self: SQLDatabase {
    package func add(_ counts: [CountedDecision: Int], on day: Int64) throws(StorageFailure) {
        // In an order that all services have, so that nobody waits in a circle.
        let sorted = counts.sorted { $0.key.names.lexicographicallyPrecedes($1.key.names) }
        // Added twice it would count twice: so it is not tried again where the connection breaks.
        try transaction(.beside) { session throws(StorageFailure) in
            for (decision, count) in sorted {
                let values = [.integer(day)] + decision.names.map { SQLValue.text($0) } + [.integer(Int64(count))]
                try session.send(SQLCall(FunnelSQL.add, values))
            }
        }
    }
}

extension CountedDecision {
    /// What names it, in the order of the columns.
    fileprivate var names: [String] {
        [bundleId, offer.productId, offer.offerId, environment?.rawValue ?? "", call.rawValue, reason.rawValue]
    }
}
