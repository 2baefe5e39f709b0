/// The JWS that an app gave StoreKit, and its purpose.
package struct JWSReport: Equatable, Sendable {
    package let bundleId: String
    package let productId: String
    /// The promotional offer; `nil` for a JWS about the introductory offer.
    package let offerId: String?
    /// The JWS's intended word on the introductory offer; `nil` if that is not known.
    package let allowIntroductoryOffer: Bool?
    package let account: Account
    package let jws: String
    /// A transaction of the customer, where one is known.
    package let transactionId: String?
    /// StoreKit's error, where there was one.
    package let storeKitError: ReportedError?
    /// The signed transaction of the purchase, as it was sent.
    package let resultingTransaction: String?

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
    package let productId: String
    /// The offer that it was bought under; `nil` for none.
    package let offer: RedeemedOffer?
    /// The App Store's identifiers of the customer: the transaction, its subscription, the app's own transaction.
    package let customerIds: Set<String>

    package init(productId: String, offer: RedeemedOffer?, customerIds: Set<String>) {
        self.productId = productId
        self.offer = offer
        self.customerIds = customerIds
    }
}

/// Reads signed transactions for diagnoses: the port to Apple's side.
package protocol PurchaseReader: Sendable {
    /// Reads the transaction of a purchase; throws when the App Store has not signed it, or it is of another app.
    func purchase(in signedTransaction: String, of bundleId: String) throws(EvidenceFault) -> ReportedPurchase
}
