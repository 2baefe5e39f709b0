import FoundationEssentials

/// The discount that an app gave StoreKit when StoreKit refused it; a JWS is a ``JWSReport``.
public struct SignatureReport: Encodable, Equatable, Sendable {
    /// The app; may be left out by a client of one app.
    public var bundleId: String?
    /// `keyIdentifier` as it was given.
    public var keyIdentifier: String
    /// The product that was being bought.
    public var productId: String
    /// `identifier` of the discount as it was given.
    public var offerId: String
    /// The account that was set on the payment.
    public var account: Account
    /// `nonce` as it was given, in its own case.
    public var nonce: String
    /// `timestamp` as it was given.
    public var timestamp: Int64
    /// `signature` as it was given.
    public var signature: String
    /// The bytes that were signed, 4096 at most; `nil` where they are not known.
    ///
    /// Every mistake in them is found.
    public var payload: [UInt8]?
    /// StoreKit's error, such as 12 for `SKError.invalidSignature`.
    public var storeKitError: StoreKitError?

    /// Creates a report.
    public init(
        bundleId: String? = nil,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: Account = .none,
        nonce: String,
        timestamp: Int64,
        signature: String,
        payload: [UInt8]? = nil,
        storeKitError: StoreKitError? = nil
    ) {
        self.bundleId = bundleId
        self.keyIdentifier = keyIdentifier
        self.productId = productId
        self.offerId = offerId
        self.account = account
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
        self.payload = payload
        self.storeKitError = storeKitError
    }

    private enum Key: CodingKey {
        case bundleId, keyIdentifier, productId, offerId, nonce, timestamp, signature, payload, storeKitError
    }

    /// Writes the report, the account as the one member that names it.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(bundleId, forKey: .bundleId)
        try members.encode(keyIdentifier, forKey: .keyIdentifier)
        try members.encode(productId, forKey: .productId)
        try members.encode(offerId, forKey: .offerId)
        try account.encode(to: encoder)
        try members.encode(nonce, forKey: .nonce)
        try members.encode(timestamp, forKey: .timestamp)
        try members.encode(signature, forKey: .signature)
        try members.encodeIfPresent(payload.map { Data($0).base64EncodedString() }, forKey: .payload)
        try members.encodeIfPresent(storeKitError, forKey: .storeKitError)
    }
}

/// A JWS that brought no offer, or that StoreKit refused: what the app gave StoreKit, and what came of it.
public struct JWSReport: Encodable, Equatable, Sendable {
    /// The app; may be left out by a client of one app.
    public var bundleId: String?
    /// The product that was bought.
    public var productId: String
    /// The promotional offer; `nil` for a JWS about the introductory offer.
    public var offerId: String?
    /// The JWS's intended word on the introductory offer; `nil` for a promotional offer, or if that is not known.
    public var allowIntroductoryOffer: Bool?
    /// The compact JWS, as the app had it.
    public var jws: String
    /// A transaction of the customer, where one is known.
    public var transactionId: String?
    /// StoreKit's error, where there was one.
    public var storeKitError: StoreKitError?
    /// The signed transaction that the purchase came to (`jwsRepresentation` of StoreKit 2's `VerificationResult`).
    public var resultingTransaction: String?

    /// Creates a report.
    public init(
        bundleId: String? = nil,
        productId: String,
        offerId: String? = nil,
        allowIntroductoryOffer: Bool? = nil,
        jws: String,
        transactionId: String? = nil,
        storeKitError: StoreKitError? = nil,
        resultingTransaction: String? = nil
    ) {
        self.bundleId = bundleId
        self.productId = productId
        self.offerId = offerId
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.jws = jws
        self.transactionId = transactionId
        self.storeKitError = storeKitError
        self.resultingTransaction = resultingTransaction
    }
}

/// StoreKit's error, as an app reports it.
public enum StoreKitError: Equatable, Sendable {
    /// A number of `SKError.Code`, such as 12.
    case number(Int)
    /// A name of StoreKit 2, such as `invalidOfferSignature`, or an error as it is printed, such as
    /// `Error Domain=SKErrorDomain Code=12 "(null)"`.
    case name(String)
}

extension StoreKitError: Encodable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// Takes a number of `SKError.Code`.
    public init(integerLiteral value: Int) { self = .number(value) }

    /// Takes a name of StoreKit 2.
    public init(stringLiteral value: String) { self = .name(value) }

    /// Writes the number or the name.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .number(let number): try value.encode(number)
        case .name(let name): try value.encode(name)
        }
    }
}

/// Why StoreKit refused a signature, or gave no offer for it.
public struct Diagnosis: Codable, Equatable, Sendable {
    /// A cause, found by recomputing what was signed.
    public struct Cause: Codable, Equatable, Sendable {
        /// The cause's name, such as `nonce_uppercase`; the OpenAPI description lists them.
        public let code: String
        /// The value that was seen, and the one that was to be there.
        public let detail: String
        /// The fix in a sentence.
        public let fix: String
    }

    /// Whether the signature is right for what the app gave StoreKit.
    public let valid: Bool
    /// The causes, most likely first.
    public let causes: [Cause]
}
