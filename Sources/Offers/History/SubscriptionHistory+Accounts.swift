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
}
