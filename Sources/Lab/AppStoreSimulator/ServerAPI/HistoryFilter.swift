import Offers

/// Selects transactions in Get Transaction History (App Store Server API, query parameters of version 2).
struct HistoryFilter {
    var productIds: Set<String> = []
    var productTypes: Set<String> = []
    var groupIds: Set<String> = []
    var ownership: Ownership?
    /// `revoked`: only refunded transactions, or none of them.
    var revoked: Bool?
    /// `startDate`: bought then or later.
    var startDate: Timestamp?
    /// `endDate`: bought before then.
    var endDate: Timestamp?

    init() {}

    /// Reads the parameters of a query; what is none of these is ignored.
    init(_ query: [(name: String, value: String)]) throws(ServerAPIError) {
        for (name, value) in query {
            switch name {
            case "productId":
                guard !value.isEmpty else { throw .invalidProductId }
                productIds.insert(value)
            case "productType":
                let types = ["AUTO_RENEWABLE", "NON_RENEWABLE", "CONSUMABLE", "NON_CONSUMABLE"]
                guard types.contains(value) else { throw .invalidProductType }
                productTypes.insert(value)
            case "subscriptionGroupIdentifier":
                guard !value.isEmpty else { throw .invalidSubscriptionGroupIdentifier }
                groupIds.insert(value)
            case "inAppOwnershipType":
                guard let known = Ownership(rawValue: value) else { throw .invalidInAppOwnershipType }
                ownership = known
            case "revoked":
                // Apple's Python client sends `True` and `False`.
                guard ["true", "false", "True", "False"].contains(value) else { throw .invalidRevoked }
                revoked = ["true", "True"].contains(value)
            case "startDate":
                guard let date = Int64(value) else { throw .invalidStartDate }
                startDate = Timestamp(millisecondsSince1970: date)
            case "endDate":
                guard let date = Int64(value) else { throw .invalidEndDate }
                endDate = Timestamp(millisecondsSince1970: date)
            default: break
            }
        }
        if let startDate, let endDate, startDate > endDate { throw .startDateAfterEndDate }
    }

    /// Whether a transaction is asked for; all that the simulator sells are auto-renewable subscriptions.
    func lets(_ transaction: StoreTransaction) -> Bool {
        (productIds.isEmpty || productIds.contains(transaction.productId))
            && (productTypes.isEmpty || productTypes.contains("AUTO_RENEWABLE"))
            && (groupIds.isEmpty || groupIds.contains(transaction.groupId))
            && ownership.map { $0 == transaction.ownership } ?? true
            && revoked.map { $0 == (transaction.revocation != nil) } ?? true
            && startDate.map { transaction.purchaseDate >= $0 } ?? true
            && endDate.map { transaction.purchaseDate < $0 } ?? true
    }
}
