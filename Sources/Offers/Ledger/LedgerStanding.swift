/// What the ledger holds of a customer now: what decisions look at beside the evidence.
public struct LedgerStanding: Equatable, Sendable {
    /// For whom a subscription was presented.
    public struct Presentations: Equatable, Sendable {
        /// How many other customers it was presented for within the period.
        public let others: Int
        /// Whether it was presented for this customer within the period.
        public let isKnown: Bool

        /// Creates the counts.
        ///
        /// - Parameters:
        ///   - others: How many other customers it was presented for.
        ///   - isKnown: Whether it was presented for this customer.
        public init(others: Int, isKnown: Bool) {
            self.others = others
            self.isKnown = isKnown
        }

        /// Whether it may be presented for this customer.
        ///
        /// - Parameter maximum: For how many customers it may be presented.
        /// - Returns: `false` when others have used it up.
        public func allows(_ maximum: Int) -> Bool { isKnown || others < maximum }
    }

    /// How many signatures of an offer the customer got within the offer's period.
    public var signatures: [OfferRequest: Int]
    /// For whom each subscription was presented, by its original transaction identifier.
    public var presentations: [String: Presentations]

    /// Creates a standing.
    ///
    /// - Parameters:
    ///   - signatures: How many signatures of an offer the customer got.
    ///   - presentations: For whom each subscription was presented.
    public init(signatures: [OfferRequest: Int] = [:], presentations: [String: Presentations] = [:]) {
        self.signatures = signatures
        self.presentations = presentations
    }
}
