public import FoundationEssentials

/// A decision about one promotional offer, with its signature where the customer may have it.
public struct Decision: Codable, Equatable, Sendable {
    /// When an offer starts that is redeemed now.
    ///
    /// Not an enumeration: no signature is to be lost because the service comes to know more of them.
    public struct Start: RawRepresentable, Codable, Hashable, Sendable {
        /// The offer begins at once.
        public static let now = Start(rawValue: "now")
        /// When the running period ends.
        public static let nextRenewal = Start(rawValue: "next_renewal")

        /// The start as the service writes it.
        public let rawValue: String

        /// Creates a start.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The product.
    public let productId: String
    /// The offer on it.
    public let offerId: String
    /// The outcome of a decision.
    public let verdict: Verdict
    /// Why.
    public let reason: Reason
    /// Why, in an English sentence for support and logs, whose wording may change.
    public let detail: String
    /// The ground of the decision: `evidence` of the request, `held` by the service, or `appStore`.
    public let source: String?
    /// The date of that.
    public let asOf: Date?
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

/// The outcome of a decision.
public enum Verdict: String, Codable, Sendable {
    /// The customer may have it.
    case eligible
    /// The customer may not have it.
    case ineligible
    /// The evidence does not tell. Nothing is signed then either.
    case unknown
}

/// Why a decision is what it is, in snake case, such as `lapsed`.
///
/// Not an enumeration: the service may come to know more of them. Its OpenAPI document (`GET /v1/openapi.json`) says what
/// each means, under `KnownReason` and `KnownIntroductoryReason`.
public struct Reason: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The reason as the service writes it.
    public let rawValue: String

    /// Creates a reason.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The reason as the service writes it.
    public var description: String { rawValue }
}

extension Reason: ExpressibleByStringLiteral {
    /// Creates a reason, to compare one with.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

/// A rule that was asked for a decision, with what it saw.
public struct RuleFinding: Codable, Equatable, Sendable {
    /// The rule's name: the catalog's key where it is about one.
    public let rule: String
    /// The facts that it saw, in words.
    public let saw: String
    /// The rule's verdict on these facts.
    public let verdict: Verdict
}

/// A signed offer in the form of `SKPaymentDiscount`.
///
/// Pass it on to the app as it is: it is written as it was read.
public struct Discount: Codable, Equatable, Sendable {
    /// The offer.
    public let identifier: String
    /// The key that signed.
    public let keyIdentifier: String
    /// The nonce: a UUID in lowercase, for one buy request.
    ///
    /// It is text, because Foundation writes a UUID in uppercase, which is not what was signed.
    public let nonce: String
    /// When it was signed, in milliseconds since 1970.
    public let timestamp: Int64
    /// The signature in Base64: StoreKit 1 takes the text, StoreKit 2 the bytes.
    public let signature: String
}

/// A decision about a product's introductory offer.
public struct IntroductoryDecision: Codable, Equatable, Sendable {
    /// The outcome of a decision.
    public let verdict: Verdict
    /// Why.
    public let reason: Reason
    /// Why, in an English sentence for support and logs, whose wording may change.
    public let detail: String
    /// The ground of the decision: `evidence` of the request, `held` by the service, or `appStore`.
    public let source: String?
    /// The date of that.
    public let asOf: Date?
    /// Every rule that was asked, where that was asked for.
    public let explanation: [RuleFinding]?
}
