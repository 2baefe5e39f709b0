/// Why StoreKit refused a signature, or gave no offer for it.
public struct Diagnosis: Codable, Equatable, Sendable {
    /// A cause, found by recomputing what was signed.
    public struct Cause: Codable, Equatable, Sendable {
        /// The cause's name, such as `nonce_uppercase`; the OpenAPI description lists them.
        public let code: String
        /// What was seen, and what was to be there.
        public let detail: String
        /// The fix in a sentence.
        public let fix: String
    }

    /// Whether the signature is right for what the app gave StoreKit.
    public let valid: Bool
    /// The causes, most likely first.
    public let causes: [Cause]
}
