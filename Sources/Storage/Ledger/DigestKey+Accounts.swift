public import Offers

extension DigestKey: AccountDigester {
    /// The account as held state knows it: as the ledger does, so that redemptions find the signatures behind them.
    ///
    /// - Parameters:
    ///   - text: The account's text.
    ///   - bundleId: The app.
    /// - Returns: The digest.
    public func digest(of text: String, bundleId: String) -> AccountDigest {
        AccountDigest(accountDigest(text, bundleId: bundleId))
    }
}
