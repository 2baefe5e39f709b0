/// A question for signatures.
public struct SignatureRequest: Equatable, Sendable {
    /// The app; may be left out by a client of one app.
    public var bundleId: String?
    /// The account that the app sets on the payment.
    public var account: Account
    /// What shows what the customer has; `nil` for the state that the service holds for the account.
    public var evidence: Evidence?
    /// The offers, 1 to 100; the same one may repeat.
    public var offers: [RequestedOffer]
    /// The forms to sign in.
    public var formats: [SignatureFormat]
    /// Whether each decision is to carry every rule that was asked.
    public var explain: Bool

    /// Creates a question.
    public init(
        bundleId: String? = nil,
        account: Account = .none,
        evidence: Evidence?,
        offers: [RequestedOffer],
        formats: [SignatureFormat] = [.discount],
        explain: Bool = false
    ) {
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.offers = offers
        self.formats = formats
        self.explain = explain
    }

    private struct Members: Encodable {
        let request: SignatureRequest

        private enum Key: CodingKey {
            case bundleId, offers, formats, explain
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encodeIfPresent(request.bundleId, forKey: .bundleId)
            try request.account.encode(to: encoder)
            try members.encode(request.offers, forKey: .offers)
            if request.formats != [.discount] { try members.encode(request.formats, forKey: .formats) }
            if request.explain { try members.encode(true, forKey: .explain) }
        }
    }

    func body() throws(OfferSignerError) -> [UInt8] { try Evidence.body(Members(request: self), with: evidence) }
}

/// A promotional offer on a product, as App Store Connect and the catalog name them.
public struct RequestedOffer: Codable, Equatable, Hashable, Sendable {
    /// The product.
    public let productId: String
    /// The offer on it.
    public let offerId: String

    /// Names an offer.
    public init(productId: String, offerId: String) {
        self.productId = productId
        self.offerId = offerId
    }
}

/// A form in which an offer is signed.
public enum SignatureFormat: String, Codable, Sendable {
    /// The form for `SKPaymentDiscount`, and StoreKit 2's `promotionalOffer(offerID:keyID:nonce:signature:timestamp:)`.
    case discount
    /// The form for StoreKit 2's `compactJWS:`.
    case jws
}

/// A question for signed decisions about introductory offers.
public struct IntroductorySignatureRequest: Equatable, Sendable {
    /// The app; may be left out by a client of one app.
    public var bundleId: String?
    /// The customer's account.
    public var account: Account
    /// What shows what the customer has; `nil` for the state that the service holds for the account.
    public var evidence: Evidence?
    /// The products, 1 to 100.
    public var products: [String]
    /// Any transaction of the customer, or the `appTransactionID` of StoreKit 2's `AppTransaction`; `nil` for one of the
    /// evidence.
    public var transactionId: String?
    /// `false` to refuse the offers, whatever the verdicts.
    public var allowIntroductoryOffer: Bool
    /// Whether each decision is to carry every rule that was asked.
    public var explain: Bool

    /// Creates a question.
    public init(
        bundleId: String? = nil,
        account: Account = .none,
        evidence: Evidence?,
        products: [String],
        transactionId: String? = nil,
        allowIntroductoryOffer: Bool = true,
        explain: Bool = false
    ) {
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.products = products
        self.transactionId = transactionId
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.explain = explain
    }

    private struct Members: Encodable {
        let request: IntroductorySignatureRequest

        private enum Key: CodingKey {
            case bundleId, products, transactionId, allowIntroductoryOffer, explain
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encodeIfPresent(request.bundleId, forKey: .bundleId)
            try request.account.encode(to: encoder)
            try members.encode(request.products, forKey: .products)
            try members.encodeIfPresent(request.transactionId, forKey: .transactionId)
            if !request.allowIntroductoryOffer { try members.encode(false, forKey: .allowIntroductoryOffer) }
            if request.explain { try members.encode(true, forKey: .explain) }
        }
    }

    func body() throws(OfferSignerError) -> [UInt8] { try Evidence.body(Members(request: self), with: evidence) }
}

/// A question for decisions, of which nothing is signed.
public struct EligibilityRequest: Equatable, Sendable {
    /// The app; may be left out by a client of one app.
    public var bundleId: String?
    /// The account that the offers would be signed for.
    public var account: Account
    /// What shows what the customer has; `nil` for the state that the service holds for the account.
    public var evidence: Evidence?
    /// The promotional offers, 1 to 100; `nil` for every offer of the catalog.
    public var offers: [RequestedOffer]?
    /// The products whose introductory offers are asked about, at most 100.
    public var products: [String]
    /// Whether each decision is to carry every rule that was asked.
    public var explain: Bool

    /// Creates a question.
    public init(
        bundleId: String? = nil,
        account: Account = .none,
        evidence: Evidence?,
        offers: [RequestedOffer]? = nil,
        products: [String] = [],
        explain: Bool = false
    ) {
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.offers = offers
        self.products = products
        self.explain = explain
    }

    private struct Members: Encodable {
        let request: EligibilityRequest

        private enum Key: CodingKey {
            case bundleId, offers, products, explain
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encodeIfPresent(request.bundleId, forKey: .bundleId)
            try request.account.encode(to: encoder)
            try members.encodeIfPresent(request.offers, forKey: .offers)
            if !request.products.isEmpty { try members.encode(request.products, forKey: .products) }
            if request.explain { try members.encode(true, forKey: .explain) }
        }
    }

    func body() throws(OfferSignerError) -> [UInt8] { try Evidence.body(Members(request: self), with: evidence) }
}
