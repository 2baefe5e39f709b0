/// The JWS that an app gave StoreKit, and its purpose.
package struct JWSReport: Equatable, Sendable {
    package let bundleId: String
    package let productId: String
    /// `nil` for a JWS about the introductory offer.
    package let offerId: String?
    /// The JWS's intended word on the introductory offer; `nil` if that is not known.
    package let allowIntroductoryOffer: Bool?
    package let account: Account
    package let jws: String
    /// Of the customer, where one is known.
    package let transactionId: String?
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

    package var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId ?? "") }

    /// The `aud` of a right JWS.
    var audience: String { offerId == nil ? "introductory-offer-eligibility" : "promotional-offer" }
}

/// The purchase that a report is about, as the App Store signed it.
package struct ReportedPurchase: Equatable, Sendable {
    package let productId: String
    package let offer: RedeemedOffer?
    /// The transaction, its subscription, and the app's own transaction.
    package let customerIds: Set<String>

    package init(productId: String, offer: RedeemedOffer?, customerIds: Set<String>) {
        self.productId = productId
        self.offer = offer
        self.customerIds = customerIds
    }
}

/// Reads signed transactions for diagnoses: the port to Apple's side.
package protocol PurchaseReader: Sendable {
    /// Throws when the App Store has not signed the transaction, or it is of another app.
    func purchase(in signedTransaction: String, of bundleId: String) throws(EvidenceFault) -> ReportedPurchase
}
