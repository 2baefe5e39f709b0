/// The answer of a question for signatures.
public struct SignatureAnswer: Codable, Equatable, Sendable {
    /// The app.
    public let bundleId: String
    /// Where the evidence is from; `nil` where there is none that tells.
    public let environment: AppStoreEnvironment?
    /// What the app must set on the payment: exactly this.
    public let account: Account
    /// A decision for each offer, in the order asked.
    public let decisions: [Decision]
}
