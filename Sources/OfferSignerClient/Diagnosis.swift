/// The values that an app gave StoreKit when StoreKit refused them.
public struct SignatureReport: Encodable, Equatable, Sendable {
    /// The app.
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
    /// StoreKit's error code, such as 12 for `SKError.invalidSignature`.
    public var storeKitError: Int?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - bundleId: The app; may be left out by a client of one app.
    ///   - keyIdentifier: `keyIdentifier` as it was given.
    ///   - productId: The product that was being bought.
    ///   - offerId: `identifier` of the discount as it was given.
    ///   - account: The account that was set on the payment.
    ///   - nonce: `nonce` as it was given, in its own case.
    ///   - timestamp: `timestamp` as it was given.
    ///   - signature: `signature` as it was given.
    ///   - storeKitError: StoreKit's error code.
    public init(
        bundleId: String? = nil,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: Account = .none,
        nonce: String,
        timestamp: Int64,
        signature: String,
        storeKitError: Int? = nil
    ) {
        self.bundleId = bundleId
        self.keyIdentifier = keyIdentifier
        self.productId = productId
        self.offerId = offerId
        self.account = account
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
        self.storeKitError = storeKitError
    }

    private enum Key: CodingKey {
        case bundleId, keyIdentifier, productId, offerId, nonce, timestamp, signature, storeKitError
    }

    /// Writes the report, the account as the one member that names it.
    ///
    /// - Parameter encoder: The encoder, at the object.
    /// - Throws: The encoder's error.
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
        try members.encodeIfPresent(storeKitError, forKey: .storeKitError)
    }
}

/// Why StoreKit refused a signature.
public struct Diagnosis: Codable, Equatable, Sendable {
    /// A cause, found by recomputing what was signed.
    public struct Cause: Codable, Equatable, Sendable {
        /// The cause's name, such as `nonce_uppercase`; the OpenAPI description lists them.
        public let code: String
        /// The cause in a sentence.
        public let detail: String
        /// The fix in a sentence.
        public let fix: String
    }

    /// Whether the signature is right for what the app gave StoreKit.
    public let valid: Bool
    /// The causes, most likely first.
    public let causes: [Cause]
}
