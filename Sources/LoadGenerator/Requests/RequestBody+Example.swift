internal import FoundationEssentials

extension RequestBody {
    /// The body of a request as the generator sends it, for benchmarks without a service.
    ///
    /// - Parameters:
    ///   - bundleId: The app.
    ///   - productId: The product of the offer.
    ///   - offerId: The offer: one for lapsed customers.
    ///   - offers: How often the offer is asked for.
    ///   - originalTransactionId: The customer's subscription; the account comes of it.
    /// - Returns: JSON, with a verifyReceipt answer of now as evidence.
    package static func lapsedCustomer(
        bundleId: String,
        productId: String,
        offerId: String,
        offers: Int,
        originalTransactionId: String = "220000000000001"
    ) -> [UInt8] {
        let customer = SyntheticCustomer(
            bundleId: bundleId,
            productId: productId,
            state: .lapsed,
            environment: "Production",
            originalTransactionId: originalTransactionId,
            date: Date()
        )
        return make(
            bundleId: bundleId,
            account: account(of: customer.originalTransactionId),
            evidence: evidence("receiptResponse", json: customer.receiptResponse),
            offers: Array(repeating: ExpectedAnswer.Offer(productId: productId, offerId: offerId), count: offers)
        )
    }
}
