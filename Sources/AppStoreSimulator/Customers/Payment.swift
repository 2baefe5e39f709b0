import Offers

/// What a customer pays for.
struct Payment {
    /// The product.
    let product: StoreProduct
    /// The billing plan.
    let plan: BillingPlanType
    /// The offer.
    let offer: StoreOffer?
    /// When the period begins.
    let start: Timestamp
    /// When the period ends; `nil` for as long as the plan, or the offer, lasts.
    var end: Timestamp?
    /// The account on the payment.
    let account: String?

    /// The transaction of this payment, the `number`th of its commitment where there is one.
    func transaction(
        _ reason: StoreTransaction.Reason,
        number: Int = 1,
        after previous: StoreTransaction? = nil,
        isFamilyShared: Bool = false,
        numbers: inout TransactionNumbers
    ) -> StoreTransaction {
        let id = numbers.next()
        let end = end ?? (offer?.period ?? product.period(plan)).after(start)
        return StoreTransaction(
            transactionId: id,
            originalTransactionId: previous?.originalTransactionId ?? id,
            productId: product.id,
            groupId: product.groupId,
            purchaseDate: start,
            originalPurchaseDate: previous?.originalPurchaseDate ?? start,
            expiresDate: end,
            offer: offer,
            price: offer?.price ?? product.price(plan),
            commitment: plan == .monthly
                ? Commitment(number: number, price: product.totalPrice(plan), periodEnds: end) : nil,
            reason: reason,
            appAccountToken: account,
            isFamilyShared: previous?.isFamilyShared ?? isFamilyShared
        )
    }
}
