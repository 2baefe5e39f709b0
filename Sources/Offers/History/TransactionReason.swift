/// Why there is a transaction (`transactionReason` of the App Store Server API).
public enum TransactionReason: String, Sendable {
    /// The customer bought: for the first time, again, or something else of the group.
    case purchase = "PURCHASE"
    /// The App Store renewed the subscription.
    case renewal = "RENEWAL"
}
