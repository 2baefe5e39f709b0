/// An offer that a client was shown.
public struct ReportedOffer: Equatable, Sendable {
    /// Which offer it is.
    public let name: OfferName
    /// Its terms.
    public let terms: OfferTerms

    /// Creates an offer.
    ///
    /// - Parameters:
    ///   - name: Which offer it is.
    ///   - terms: Its terms.
    public init(name: OfferName, terms: OfferTerms) {
        self.name = name
        self.terms = terms
    }
}
