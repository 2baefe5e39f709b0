public import FoundationEssentials

/// The answer of a question for signatures.
public struct SignatureAnswer: Codable, Equatable, Sendable {
    /// The app.
    public let bundleId: String
    /// The evidence's environment; `nil` when no evidence names one.
    public let environment: AppStoreEnvironment?
    /// The account that the app must set on the payment: exactly this.
    public let account: Account
    /// A decision for each offer, in the order asked.
    public let decisions: [Decision]
}

/// The answer of a question for signed decisions about introductory offers.
public struct IntroductorySignatureAnswer: Codable, Equatable, Sendable {
    /// A decision about a product's introductory offer, signed where there is something to sign.
    public struct SignedProductEligibility: Codable, Equatable, Sendable {
        /// The product.
        public let productId: String
        /// The decision.
        public let introductoryOffer: IntroductoryDecision
        /// The signed value; `nil` if nothing is signed.
        public let allowIntroductoryOffer: Bool?
        /// The compact JWS for `introductoryOfferEligibility(compactJWS:)`; `nil` where nothing is signed.
        public let jws: String?
        /// Until when the App Store takes the signature.
        public let expiresAt: Date?
    }

    /// The app.
    public let bundleId: String
    /// The evidence's environment; `nil` when no evidence names one.
    public let environment: AppStoreEnvironment?
    /// The customer's account.
    public let account: Account
    /// A decision for each product, in the order asked.
    public let products: [SignedProductEligibility]
}

/// The answer of a question for decisions.
public struct EligibilityAnswer: Codable, Equatable, Sendable {
    /// Whether the customer may have a product's introductory offer.
    public struct ProductEligibility: Codable, Equatable, Sendable {
        /// The product.
        public let productId: String
        /// The decision.
        public let introductoryOffer: IntroductoryDecision
        /// The win-back offers of the product's group that Apple names for the customer, in Apple's order; often none.
        public var winBackOffers: [WinBackOffer] { listedWinBackOffers ?? [] }
        private let listedWinBackOffers: [WinBackOffer]?

        private enum CodingKeys: String, CodingKey {
            case productId, introductoryOffer
            case listedWinBackOffers = "winBackOffers"
        }
    }

    /// The app.
    public let bundleId: String
    /// The evidence's environment; `nil` when no evidence names one.
    public let environment: AppStoreEnvironment?
    /// Reasons why decisions may be wrong; often none.
    ///
    /// `clock_wrong`: the service's clock is not Apple's.
    public var warnings: [String] { listedWarnings ?? [] }
    private let listedWarnings: [String]?
    /// The account that the offers would be signed for.
    public let account: Account
    /// A decision for each promotional offer, in the order asked.
    public let decisions: [Decision]
    /// A decision for each product that was asked about.
    public let products: [ProductEligibility]
    /// The win-back offers that Apple names for the customer, in Apple's order, of the groups that the request asks about;
    /// often none.
    public var winBackOffers: [WinBackOffer] { listedWinBackOffers ?? [] }
    private let listedWinBackOffers: [WinBackOffer]?

    private enum CodingKeys: String, CodingKey {
        case bundleId, environment, account, decisions, products
        case listedWarnings = "warnings"
        case listedWinBackOffers = "winBackOffers"
    }
}

/// A win-back offer that Apple names for a customer who has lapsed.
///
/// Nobody signs it: the app presents it, or opens ``url``.
public struct WinBackOffer: Codable, Equatable, Hashable, Sendable {
    /// The offer, as App Store Connect names it.
    public let id: String
    /// The address at which the customer can redeem it, if the catalog has one.
    public let url: String?
}

/// The environment that evidence is from.
///
/// Not an enumeration: no answer is to be lost because Apple comes to have more of them.
public struct AppStoreEnvironment: RawRepresentable, Codable, Hashable, Sendable {
    /// The App Store.
    public static let production = AppStoreEnvironment(rawValue: "Production")
    /// The Sandbox: TestFlight and App Review too.
    public static let sandbox = AppStoreEnvironment(rawValue: "Sandbox")
    /// StoreKit testing in Xcode.
    public static let xcode = AppStoreEnvironment(rawValue: "Xcode")
    /// StoreKit testing elsewhere.
    public static let localTesting = AppStoreEnvironment(rawValue: "LocalTesting")

    /// The environment as Apple writes it.
    public let rawValue: String

    /// Creates an environment.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
