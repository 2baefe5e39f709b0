import Offers

/// Whose receipt it is: all that the simulator reads from one.
struct ReceiptIdentity: Equatable, Sendable {
    /// Production or Sandbox.
    let environment: AppStoreEnvironment
    /// The app.
    let bundleId: String
    /// The customer's name.
    let customer: String
    /// The transaction, for an iOS 6 style receipt.
    var transactionId: String?
}
