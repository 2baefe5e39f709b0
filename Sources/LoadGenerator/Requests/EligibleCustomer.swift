/// A customer whom the service would sign offers for.
struct EligibleCustomer: Sendable {
    /// The account's token.
    let account: String
    /// The value of `evidence`, JSON; `nil` where the service holds the customer's state.
    var evidence: [UInt8]?
    /// The offers.
    var offers: [ExpectedAnswer.Offer]
}
