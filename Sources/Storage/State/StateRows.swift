import Offers

extension HeldSubscription {
    /// Puts what is held in the place of what is there of the subscription; its accounts have rows of their own.
    var insertion: SQLCall {
        identity.call(
            StateSQL.putSubscription,
            [.text(String(decoding: json, as: UTF8.self)), .integer(learntAt.millisecondsSince1970)]
        )
    }

    /// What makes the tables say this, where they said something else or nothing.
    func changes(since before: HeldSubscription?) -> [SQLCall] {
        var changes = [insertion]
        for account in accounts.keys where before?.accounts[account] == nil {
            changes.append(identity.call(StateSQL.putAccount, account))
        }
        for account in accountsLetGo(since: before) {
            changes.append(identity.call(StateSQL.deleteAccount, account))
        }
        return changes
    }
}

extension SubscriptionIdentity {
    private var values: [SQLValue] {
        [.text(bundleId), .text(environment.rawValue), .text(originalTransactionId)]
    }

    /// A statement whose first parameters name the subscription.
    func call(_ sql: String, _ rest: [SQLValue] = []) -> SQLCall {
        SQLCall(sql, values + rest)
    }

    /// Deletes that all subscriptions of an account are known where this one is of.
    func deletionOfMark(of account: AccountDigest) -> SQLCall {
        SQLCall(StateSQL.deleteMark, .bytes(account.bytes), .text(bundleId), .text(environment.rawValue))
    }

    /// A statement whose parameters name an account and then the subscription.
    func call(_ sql: String, _ account: AccountDigest) -> SQLCall {
        SQLCall(sql, [.bytes(account.bytes)] + values)
    }
}

extension NotificationRecord {
    /// Notes that the notification came; where it came before, nothing changes.
    var insertion: SQLCall {
        SQLCall(
            StateSQL.putNotification,
            .text(id),
            .text(type),
            SQLValue(subtype),
            .text(bundleId),
            .text(environment.rawValue),
            .integer(signedDate.millisecondsSince1970),
            .integer(receivedAt.millisecondsSince1970)
        )
    }
}

extension Rows {
    /// Subscriptions of an app, by environment and identifier.
    func identities(bundleId: String) throws(StorageFailure) -> [SubscriptionIdentity] {
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
    func identities() throws(StorageFailure) -> [SubscriptionIdentity] {
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
    ) throws(StorageFailure) -> [AccountHistoryMark] {
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
