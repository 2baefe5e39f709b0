import ArgumentParser
import OfferService
import Offers
import Storage

/// The customer of a command: an account, or a subscription of somebody who has none.
struct CustomerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The account's UUID.", valueName: "uuid"))
    var appAccountToken: String?

    @Option(help: ArgumentHelp("The account's name.", valueName: "name"))
    var applicationUsername: String?

    @Option(help: ArgumentHelp("The subscription of a customer without an account.", valueName: "id"))
    var originalTransactionId: String?

    func validate() throws {
        let given = [appAccountToken, applicationUsername, originalTransactionId].compactMap(\.self)
        guard given.count == 1 else {
            throw ValidationError(
                "Give --app-account-token, --application-username or --original-transaction-id, one of them."
            )
        }
        if let appAccountToken, AppAccountToken(appAccountToken) == nil {
            throw ValidationError("--app-account-token is a UUID: 8-4-4-4-12 hexadecimal digits.")
        }
        if let name = applicationUsername, name.isEmpty || name.utf8.count > Account.maximumUsernameBytes {
            throw ValidationError("--application-username has 1 to \(Account.maximumUsernameBytes) bytes.")
        }
        if let originalTransactionId { try Identifier.check(["--original-transaction-id": originalTransactionId]) }
    }

    /// None where a subscription is given.
    var account: Account {
        if let token = appAccountToken.flatMap(AppAccountToken.init) { return .appAccountToken(token) }
        return applicationUsername.map(Account.applicationUsername) ?? .none
    }

    func customer(of app: App, by digestKey: DigestKey) -> StoredCustomer {
        StoredCustomer(account, of: app, by: digestKey)
            ?? StoredCustomer(originalTransactionId: originalTransactionId ?? "", of: app, by: digestKey)
    }
}

/// What stays once a customer is forgotten, a sentence each.
enum Stays {
    static func sentences(retentionDays: Int?) -> [String] {
        let kept = retentionDays.map { "for \($0.of("day"))" } ?? "for ever"
        return [
            "Records of signatures, \(kept) (ledger.retentionDays), because the hash chain needs them: time, client, app, "
                + "product, offer, format, key id, nonce, timestamp, reason, kind of evidence, environment, original "
                + "transaction id, and keyed digests of the account and of the customer.",
            "The record of the erasure, \(kept): when, how many rows, and the customer's digest.",
            "A subscription that the account has shown and did not buy, where other accounts have it, too: without this one.",
            "With a customerSeparator, subscriptions of the customer's other names: forget each name.",
            "Identifiers, types and dates of Apple's notifications, for 180 days: they name no customer.",
            "Counts of decisions for each offer and day: they name no customer.",
            "Outside the ledger, as long as you keep them: lines of the log, with the customer's digest if log.decisions is "
                + "set, and backups. Bytes of deleted rows stay in the database's files until they are written over.",
        ]
    }
}
