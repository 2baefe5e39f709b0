package import Offers

/// The body of `POST /v1/signatures`, well-formed, before anything is known about the caller.
package final class SignatureCall: Sendable {
    /// The app; `nil` where it was left out.
    package let bundleId: String?
    /// The account to sign for.
    package let account: Account
    /// What shows what the customer has.
    package let evidence: Evidence?
    /// The offers, 1 to 100.
    package let offers: [OfferRequest]
    /// The forms in which eligible offers are signed.
    package let formats: Set<SignatureFormat>
    /// Whether each decision is to carry every rule that was asked.
    package let explain: Bool

    init(
        bundleId: String?,
        account: Account,
        evidence: Evidence?,
        offers: [OfferRequest],
        formats: Set<SignatureFormat>,
        explain: Bool
    ) {
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.offers = offers
        self.formats = formats
        self.explain = explain
    }

    /// How many offers or products one request may ask for.
    static let maximumOffers = 100
    /// How many formats one call may name; the same one may repeat.
    static let maximumFormats = 10
    /// How many bytes of UTF-8 an identifier may take.
    ///
    /// Apple's are far shorter.
    static let maximumIdentifierBytes = 255
}
