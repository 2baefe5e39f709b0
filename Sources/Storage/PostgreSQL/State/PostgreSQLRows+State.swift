import Offers

extension PostgreSQLRows {
    /// Subscriptions of an app, by environment and identifier.
    func identities(bundleId: String) throws(PostgreSQLError) -> [SubscriptionIdentity] {
        var identities: [SubscriptionIdentity] = []
        for row in rows {
            guard let environment = AppStoreEnvironment(rawValue: try text(row, 0)) else { continue }
            identities.append(
                SubscriptionIdentity(
                    bundleId: bundleId,
                    environment: environment,
                    originalTransactionId: try text(row, 1)
                )
            )
        }
        return identities
    }

    /// Subscriptions, by app, environment and identifier.
    func identities() throws(PostgreSQLError) -> [SubscriptionIdentity] {
        var identities: [SubscriptionIdentity] = []
        for row in rows {
            guard let environment = AppStoreEnvironment(rawValue: try text(row, 1)) else { continue }
            identities.append(
                SubscriptionIdentity(
                    bundleId: try text(row, 0),
                    environment: environment,
                    originalTransactionId: try text(row, 2)
                )
            )
        }
        return identities
    }

    /// What is known of an account's whole history, by environment, date and source.
    func marks(
        of account: AccountDigest,
        in bundleId: String
    ) throws(PostgreSQLError) -> [AccountHistoryMark] {
        var marks: [AccountHistoryMark] = []
        for row in rows {
            guard let environment = AppStoreEnvironment(rawValue: try text(row, 0)),
                let source = StateSource(rawValue: Int(try integer(row, 2)))
            else { continue }
            marks.append(
                AccountHistoryMark(
                    account: account,
                    bundleId: bundleId,
                    environment: environment,
                    asOf: Timestamp(millisecondsSince1970: try integer(row, 1)),
                    source: source
                )
            )
        }
        return marks
    }
}
