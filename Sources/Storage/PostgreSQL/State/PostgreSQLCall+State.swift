import Offers

extension HeldSubscription {
    /// Puts what is held in the place of what is there of the subscription; its accounts have rows of their own.
    var insertion: PostgreSQLCall {
        identity.call(
            StateSQL.putSubscription,
            [.text(String(decoding: json, as: UTF8.self)), .integer(learntAt.millisecondsSince1970)]
        )
    }

    /// What makes the tables say this, where they said something else or nothing.
    func changes(since before: HeldSubscription?) -> [PostgreSQLCall] {
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
    private var values: [PostgreSQLValue] {
        [.text(bundleId), .text(environment.rawValue), .text(originalTransactionId)]
    }

    /// A statement whose first parameters name the subscription.
    func call(_ sql: String, _ rest: [PostgreSQLValue] = []) -> PostgreSQLCall {
        PostgreSQLCall(sql, values + rest)
    }

    /// Deletes that all subscriptions of an account are known where this one is of.
    func deletionOfMark(of account: AccountDigest) -> PostgreSQLCall {
        PostgreSQLCall(StateSQL.deleteMark, .bytes(account.bytes), .text(bundleId), .text(environment.rawValue))
    }

    /// A statement whose parameters name an account and then the subscription.
    func call(_ sql: String, _ account: AccountDigest) -> PostgreSQLCall {
        PostgreSQLCall(sql, [.bytes(account.bytes)] + values)
    }
}

extension NotificationRecord {
    /// Notes that the notification came; where it came before, nothing changes.
    var insertion: PostgreSQLCall {
        PostgreSQLCall(
            StateSQL.putNotification,
            .text(id),
            .text(type),
            subtype.map { .text($0) } ?? .null,
            .text(bundleId),
            .text(environment.rawValue),
            .integer(signedDate.millisecondsSince1970),
            .integer(receivedAt.millisecondsSince1970)
        )
    }
}
