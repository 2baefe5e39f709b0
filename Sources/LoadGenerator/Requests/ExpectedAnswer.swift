/// What the answer to a request has to be: the fields that are signed, but for nonce and time.
struct ExpectedAnswer: Sendable {
    /// An offer that was asked for.
    struct Offer: Hashable, Sendable {
        let productId: String
        let offerId: String
    }

    /// The app.
    let bundleId: String
    /// The account's field of the payload.
    let account: String
    /// The offers, in the order asked.
    let offers: [Offer]
}
