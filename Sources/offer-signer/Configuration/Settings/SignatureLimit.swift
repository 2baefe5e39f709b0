/// How often one customer may get an offer signed.
struct SignatureLimit: Equatable, Sendable {
    /// The product of the offer.
    let productId: String
    /// The offer.
    let offerId: String
    /// The most signatures for one customer within the period.
    let maximumSignaturesPerCustomer: Int
    /// The period, in days.
    let periodDays: Int
}
