/// The JWS that an app gave StoreKit, and what it was for.
package struct JWSReport: Equatable, Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The product of the purchase.
    package let productId: String
    /// The promotional offer; `nil` for a JWS about the introductory offer.
    package let offerId: String?
    /// The JWS's intended word on the introductory offer; `nil` if that is not known.
    package let allowIntroductoryOffer: Bool?
    /// The account of the customer, where it is known.
    package let account: Account
    /// The compact JWS.
    package let jws: String
    /// A transaction of the customer, where one is known.
    package let transactionId: String?
    /// StoreKit's error, where there was one.
    package let storeKitError: ReportedError?
    /// The signed transaction that the purchase came to, as it was sent.
    package let resultingTransaction: String?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - productId: The product of the purchase.
    ///   - offerId: The promotional offer; `nil` for a JWS about the introductory offer.
    ///   - allowIntroductoryOffer: What the JWS was to say of the introductory offer.
    ///   - account: The account of the customer.
    ///   - jws: The compact JWS.
    ///   - transactionId: A transaction of the customer.
    ///   - storeKitError: StoreKit's error.
    ///   - resultingTransaction: The signed transaction that the purchase came to.
    package init(
        bundleId: String,
        productId: String,
        offerId: String?,
        allowIntroductoryOffer: Bool? = nil,
        account: Account = .none,
        jws: String,
        transactionId: String? = nil,
        storeKitError: ReportedError? = nil,
        resultingTransaction: String? = nil
    ) {
        self.bundleId = bundleId
        self.productId = productId
        self.offerId = offerId
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.account = account
        self.jws = jws
        self.transactionId = transactionId
        self.storeKitError = storeKitError
        self.resultingTransaction = resultingTransaction
    }

    /// The offer of the purchase.
    var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId ?? "") }

    /// The use that the JWS has to be for.
    var audience: String { offerId == nil ? "introductory-offer-eligibility" : "promotional-offer" }
}

/// The purchase that a report is about, as the App Store signed it.
package struct ReportedPurchase: Equatable, Sendable {
    /// The product that was bought.
    package let productId: String
    /// The offer that it was bought under; `nil` for none.
    package let offer: RedeemedOffer?
    /// The App Store's identifiers of the customer: the transaction, its subscription, the app's own transaction.
    package let customerIds: Set<String>

    /// Describes a purchase.
    ///
    /// - Parameters:
    ///   - productId: The product that was bought.
    ///   - offer: The offer that it was bought under.
    ///   - customerIds: By what the App Store knows the customer.
    package init(productId: String, offer: RedeemedOffer?, customerIds: Set<String>) {
        self.productId = productId
        self.offer = offer
        self.customerIds = customerIds
    }
}

/// Reads signed transactions for diagnoses: the port to Apple's side.
package protocol PurchaseReader: Sendable {
    /// Reads the transaction that a purchase came to.
    ///
    /// - Parameters:
    ///   - signedTransaction: The signed transaction.
    ///   - bundleId: The app that it has to be of.
    /// - Returns: What it says.
    /// - Throws: ``EvidenceFault`` when the App Store has not signed it, or it is of another app.
    func purchase(in signedTransaction: String, of bundleId: String) throws(EvidenceFault) -> ReportedPurchase
}
