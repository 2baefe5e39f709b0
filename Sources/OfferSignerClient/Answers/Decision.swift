public import FoundationEssentials

/// A decision about one promotional offer, with its signature where the customer may have it.
public struct Decision: Codable, Equatable, Sendable {
    /// When an offer starts that is redeemed now.
    ///
    /// Not an enumeration: no signature is to be lost because the service comes to know more of them.
    public struct Start: RawRepresentable, Codable, Hashable, Sendable {
        /// At once.
        public static let now = Start(rawValue: "now")
        /// When the running period ends.
        public static let nextRenewal = Start(rawValue: "next_renewal")

        /// The start as the service writes it.
        public let rawValue: String

        /// Creates a start.
        ///
        /// - Parameter rawValue: The start as the service writes it.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The product.
    public let productId: String
    /// The offer on it.
    public let offerId: String
    /// What was decided.
    public let verdict: Verdict
    /// Why.
    public let reason: Reason
    /// Why, in an English sentence for support and logs, whose wording may change.
    public let detail: String
    /// When the offer would start; `nil` where that cannot be known.
    public let begins: Start?
    /// `true` where it would end an offer that is running.
    public let replacesActiveOffer: Bool?
    /// The signature for `SKPaymentDiscount`, where it was asked for and `verdict` is `eligible`.
    public let discount: Discount?
    /// The signature as a compact JWS, where it was asked for and `verdict` is `eligible`.
    public let jws: String?
    /// Until when the App Store takes the signature.
    public let expiresAt: Date?
    /// Every rule that was asked, where that was asked for.
    public let explanation: [RuleFinding]?
}
