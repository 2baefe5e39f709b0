import Offers

/// Where counted decisions are kept, by day.
///
/// Plain blocking calls, for the thread of ``DurableOfferTally``.
protocol OfferCountStore: Sendable {
    /// Adds to what is there; several services add to the same.
    ///
    /// - Parameters:
    ///   - counts: How many decisions of each kind.
    ///   - day: The day, counted from 1970-01-01 on.
    /// - Throws: ``StorageFailure`` when nothing was added, as far as is known.
    func add(_ counts: [CountedDecision: Int], on day: Int64) throws(StorageFailure)
}

extension CountedDecision {
    /// The environment as it is kept.
    var environmentName: String { environment?.rawValue ?? "" }

    /// The order in which all services write, so that nobody waits in a circle.
    static func isBefore(_ left: CountedDecision, _ right: CountedDecision) -> Bool {
        left.key.lexicographicallyPrecedes(right.key)
    }

    private var key: [String] {
        [bundleId, offer.productId, offer.offerId, environmentName, call.rawValue, reason.rawValue]
    }
}
