/// What an app gave StoreKit when StoreKit refused it: the account of one buy request.
public struct SignatureReport: Equatable, Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The `keyIdentifier` that was given.
    public let keyIdentifier: String
    /// The product of the payment.
    public let productId: String
    /// The offer's `identifier`.
    public let offerId: String
    /// The account that was set on the payment.
    public let account: Account
    /// The nonce's text, as the backend handed it on.
    public let nonce: String
    /// The `timestamp` that was given: milliseconds, if all is right.
    public let timestamp: Int64
    /// The signature's text, as the backend handed it on: Base64, if all is right.
    public let signature: String
    /// StoreKit's error, where it is known.
    public let storeKitError: ReportedError?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - keyIdentifier: The `keyIdentifier` that was given.
    ///   - productId: The product of the payment.
    ///   - offerId: The offer's `identifier`.
    ///   - account: The account that was set on the payment.
    ///   - nonce: The nonce's text.
    ///   - timestamp: The `timestamp` that was given.
    ///   - signature: The signature's text.
    ///   - storeKitError: StoreKit's error, where it is known.
    public init(
        bundleId: String,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: Account,
        nonce: String,
        timestamp: Int64,
        signature: String,
        storeKitError: ReportedError? = nil
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
}

extension SignatureReport {
    /// A timestamp after 1970 and below this one is in seconds: in milliseconds it would be of the year 1973.
    static let firstMillisecondTimestamp: UInt64 = 100_000_000_000

    /// Whether the timestamp that was given is in seconds.
    var isInSeconds: Bool { timestamp > 0 && timestamp.magnitude < Self.firstMillisecondTimestamp }

    /// The offer of the payment.
    var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId) }

    /// The fields that StoreKit composes from what it was given, in Apple's order.
    var fields: [String] {
        [
            bundleId, keyIdentifier, productId, offerId, account.payloadField, nonce.lowercased(), String(timestamp),
        ]
    }

    /// The moment that the timestamp means, whether it is in milliseconds or in seconds.
    public var moment: Timestamp { Timestamp(millisecondsSince1970: isInSeconds ? timestamp * 1000 : timestamp) }
}
