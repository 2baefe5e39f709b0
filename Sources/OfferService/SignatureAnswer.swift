public import Offers

/// The answer to a ``SignatureRequest``: a decision for each offer, and a signature where it is eligible.
public struct SignatureAnswer: Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    public let environment: AppStoreEnvironment?
    /// The account that the signatures are bound to: what the client has to set on the payment.
    public let account: Account
    /// One decision for each offer, in the order asked.
    public let decisions: [SignedDecision]
}
