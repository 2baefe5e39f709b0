import Offers

/// The body of `POST /v1/signatures`, well-formed, before anything is known about the caller.
struct SignatureCall {
    /// The app; `nil` where it was left out.
    let bundleId: String?
    /// The account to sign for.
    let account: Account
    /// What shows what the customer has.
    let evidence: Evidence?
    /// The offers, 1 to 100.
    let offers: [OfferRequest]
    /// Whether each decision is to carry every rule that was asked.
    let explain: Bool

    /// How many offers one request may ask for.
    static let maximumOffers = 100
    /// How many bytes of UTF-8 an identifier may take.
    ///
    /// Apple's are far shorter.
    static let maximumIdentifierBytes = 255
}
