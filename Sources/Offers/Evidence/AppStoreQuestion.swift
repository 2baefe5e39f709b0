/// Evidence that says nothing by itself: the App Store has to be asked about it.
public enum AppStoreQuestion: Hashable, Sendable {
    /// An app receipt, or an iOS 6 style transaction receipt, in Base64.
    case receipt(base64: String)
    /// The identifier of any transaction of the customer.
    case transactionId(String)
}
