/// A JWS that brought no offer, or that StoreKit refused: what the app gave StoreKit, and what came of it.
public struct JWSReport: Encodable, Equatable, Sendable {
    /// The app.
    public var bundleId: String?
    /// The product that was bought.
    public var productId: String
    /// The promotional offer; `nil` for a JWS about the introductory offer.
    public var offerId: String?
    /// What the JWS was to say of the introductory offer; `nil` for a promotional offer, or where that is not known.
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
    ///
    /// - Parameters:
    ///   - bundleId: The app; may be left out by a client of one app.
    ///   - productId: The product that was bought.
    ///   - offerId: The promotional offer; `nil` for a JWS about the introductory offer.
    ///   - allowIntroductoryOffer: What the JWS was to say of the introductory offer.
    ///   - jws: The compact JWS, as the app had it.
    ///   - transactionId: A transaction of the customer.
    ///   - storeKitError: StoreKit's error.
    ///   - resultingTransaction: The signed transaction that the purchase came to.
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
    /// A name of StoreKit 2, such as `invalidOfferSignature`.
    case name(String)
}

extension StoreKitError: Encodable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// Takes a number of `SKError.Code`.
    ///
    /// - Parameter value: The number.
    public init(integerLiteral value: Int) { self = .number(value) }

    /// Takes a name of StoreKit 2.
    ///
    /// - Parameter value: The name.
    public init(stringLiteral value: String) { self = .name(value) }

    /// Writes the number or the name.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .number(let number): try value.encode(number)
        case .name(let name): try value.encode(name)
        }
    }
}
