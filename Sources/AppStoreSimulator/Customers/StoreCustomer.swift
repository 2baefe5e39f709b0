import Offers

/// A customer of one app in one environment.
struct StoreCustomer: Sendable {
    /// The name that the simulator's own routes know the customer by.
    let name: String
    /// The app.
    let bundleId: String
    /// Production or Sandbox.
    let environment: AppStoreEnvironment
    /// The identifier of the customer's download of the app, which stands in for a transaction's in some calls.
    let appTransactionId: String
    /// The subscriptions, one for each group that the customer has ever subscribed to.
    var subscriptions: [StoreSubscription]

    /// All transactions, newest first.
    var transactions: [StoreTransaction] {
        subscriptions.flatMap(\.transactions).sorted { $0.purchaseDate > $1.purchaseDate }
    }

    /// Whether the customer has, or had, a subscription that was not shared by the family.
    ///
    /// Apple's rule for promotional offers: a current or expired subscriber of the app.
    var hasEverSubscribed: Bool { transactions.contains { !$0.isFamilyShared } }

    /// Whether an introductory offer of a group was used.
    ///
    /// - Parameter groupId: The group's identifier.
    /// - Returns: `true` when any transaction of the group was paid at one.
    func hasUsedIntroductoryOffer(in groupId: String) -> Bool {
        transactions.contains { $0.groupId == groupId && $0.offer?.kind == .introductory }
    }

    /// Whether an identifier is one of the customer's.
    ///
    /// - Parameter id: A transaction's identifier, or that of the download.
    /// - Returns: `true` when it is.
    func isKnown(by id: String) -> Bool { id == appTransactionId || transaction(id) != nil }

    /// Looks a transaction up.
    ///
    /// - Parameter id: Its identifier.
    /// - Returns: The transaction; `nil` when it is not this customer's.
    func transaction(_ id: String) -> StoreTransaction? {
        for subscription in subscriptions {
            if let found = subscription.transactions.first(where: { $0.transactionId == id }) { return found }
        }
        return nil
    }
}
