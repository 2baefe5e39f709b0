import StrictJSON

/// A subscription's newest transaction and renewal info, signed: an element of `lastTransactions`.
struct SignedItem {
    /// `status`.
    let status: Int64
    /// `originalTransactionId`.
    let originalTransactionId: String
    /// `signedTransactionInfo`.
    let transaction: String
    /// `signedRenewalInfo`.
    let renewal: String

    /// Signs both; a notification may be about an older transaction than the newest.
    init(
        _ subscription: StoreSubscription,
        about: StoreTransaction? = nil,
        _ payloads: SignedPayloads
    ) throws(SimulatorFault) {
        status = subscription.status
        originalTransactionId = subscription.originalTransactionId
        transaction = try payloads.signed(about ?? subscription.latest)
        renewal = try payloads.signedRenewal(subscription)
    }

    /// Writes the element.
    ///
    /// - Parameter json: Where it is written.
    func write(into json: inout JSONWriter) {
        json.object { json in
            json.member("status", status)
            json.member("originalTransactionId", originalTransactionId)
            json.member("signedTransactionInfo", transaction)
            json.member("signedRenewalInfo", renewal)
        }
    }
}
