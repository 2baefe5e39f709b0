extension SubscriptionHistory {
    /// The accounts that the evidence names for a group; where the group's purchases name none, those of any purchase.
    ///
    /// For the whole app, those of any purchase. One person may have bought for several accounts of the app, and each of
    /// them is theirs. Evidence that names accounts belongs to these accounts alone: a leaked receipt must not serve
    /// strangers.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier; `nil` for the whole app.
    ///   - app: The app of the catalog.
    /// - Returns: The tokens, without order or repetition.
    func accountTokens(inGroup groupId: String?, of app: App) -> Set<AppAccountToken> {
        var ofGroup: Set<AppAccountToken> = []
        var ofOthers: Set<AppAccountToken> = []
        for transaction in transactions {
            guard let token = transaction.appAccountToken else { continue }
            if groupId == nil || groupIdentifier(of: transaction, in: app) == groupId {
                ofGroup.insert(token)
            } else {
                ofOthers.insert(token)
            }
        }
        return ofGroup.isEmpty ? ofOthers : ofGroup
    }

    /// Whether its subscriptions need not be one person's: a sender chooses which signed transactions to show, and held
    /// state was learnt from many requests.
    ///
    /// In an answer of Apple's about a receipt or a transaction all of them are of one Apple Account.
    var isComposed: Bool { coverage == .partial || isHeld }

    /// Whether a subscription need not be the same person's as others: in a composed history, or added to an answer of
    /// Apple's by held state.
    private func isByItself(_ id: String) -> Bool { isComposed || heldShares[id]?.isWhole == true }

    /// The history without the subscriptions whose purchases name other accounts alone, where they need not be the same
    /// person's: beside them, one purchase of one's own must not make them one's own.
    ///
    /// - Parameter account: The account that is asked for.
    /// - Returns: What is left; `nil` where nothing is left out.
    func leavingOutOthers(than account: Account) -> SubscriptionHistory? {
        guard isComposed || heldShares.values.contains(where: \.isWhole) else { return nil }
        let own = account.storedToken
        var isOwn: [String: Bool] = [:]
        for transaction in transactions {
            guard let token = transaction.appAccountToken, isByItself(transaction.originalTransactionId) else {
                continue
            }
            isOwn[transaction.originalTransactionId, default: false] =
                isOwn[transaction.originalTransactionId, default: false] || token == own
        }
        guard isOwn.values.contains(false) else { return nil }
        var rest = self
        rest.transactions.removeAll { isOwn[$0.originalTransactionId] == false }
        rest.renewals?.removeAll { $0.originalTransactionId.map { isOwn[$0] == false } ?? false }
        return rest
    }

    /// Whether the purchases of a subscription name an account, or, where it is all of one Apple Account, any purchase
    /// does.
    ///
    /// - Parameter subscription: The subscription; `nil` names none.
    /// - Returns: `true` when one of them does.
    func namesAccount(of subscription: Subscription?) -> Bool {
        let id = subscription?.originalTransactionId
        if isComposed || heldShare(of: subscription)?.isWhole == true {
            return transactions.contains { $0.appAccountToken != nil && $0.originalTransactionId == id }
        }
        return transactions.contains { $0.appAccountToken != nil && !isByItself($0.originalTransactionId) }
    }
}
