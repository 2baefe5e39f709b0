package import Offers

/// A customer of an app, as the stores know one: by digests, or by a subscription where no account is named.
package struct StoredCustomer: Sendable {
    package let bundleId: String
    /// The digest by which limits count, and the log names the customer.
    package let customer: AccountDigest
    /// The digest by which held state is found; `nil` where no account is named.
    let account: AccountDigest?
    package let originalTransactionId: String?
    let digestKey: DigestKey
}

extension StoredCustomer {
    /// The customer of an account; `nil` for no account.
    package init?(_ account: Account, of app: App, by digestKey: DigestKey) {
        guard let name = account.stateKey, let customer = account.customer(by: app.customerSeparator) else {
            return nil
        }
        bundleId = app.bundleId
        self.account = digestKey.digest(of: name, bundleId: app.bundleId)
        self.customer = digestKey.digest(of: customer, bundleId: app.bundleId)
        originalTransactionId = nil
        self.digestKey = digestKey
    }

    /// The customer of a subscription, in whichever environment it was bought.
    package init(originalTransactionId id: String, of app: App, by digestKey: DigestKey) {
        bundleId = app.bundleId
        account = nil
        originalTransactionId = id
        self.digestKey = digestKey
        customer = digestKey.digest(ofCustomer: nil, originalTransactionId: id, bundleId: app.bundleId)
    }

    /// The digests of the customer: also that of the whole account, by which limits counted without a separator.
    var digests: [AccountDigest] { [customer] + [account].compactMap { $0 == customer ? nil : $0 } }

    /// The subscription that names the customer, in each environment; none where an account does.
    var namedIdentities: [SubscriptionIdentity] {
        guard let originalTransactionId else { return [] }
        return AppStoreEnvironment.allCases.map { environment in
            SubscriptionIdentity(
                bundleId: bundleId,
                environment: environment,
                originalTransactionId: originalTransactionId
            )
        }
    }

    /// The digests whose signatures limits count: of a subscription also those of the account that has it.
    package func counted(in book: Book, with known: AccountDigest?) -> [AccountDigest] {
        guard account == nil else { return [customer] }
        return [customer] + [known].compactMap(\.self) + book.chapters.map { digest(of: $0.identity) }
    }

    /// The digest by which a subscription's signatures without an account count.
    func digest(of identity: SubscriptionIdentity) -> AccountDigest {
        digestKey.digest(
            ofCustomer: nil,
            originalTransactionId: identity.originalTransactionId,
            bundleId: identity.bundleId
        )
    }
}

extension Session {
    /// All that is held of a customer, however many subscriptions it has.
    func book(of customer: StoredCustomer) throws(StorageFailure) -> Book {
        var identities = customer.namedIdentities
        if let account = customer.account {
            let rows = try run(StateSQL.ofAccountEverywhere, .bytes(account.bytes))
            for row in rows.rows {
                if let identity = try rows.identity(row, from: 0) { identities.append(identity) }
            }
        }
        let question = StateQuestion(
            bundleId: customer.bundleId,
            account: customer.account,
            subscriptions: identities
        )
        return try held([question]).first ?? Book()
    }
}
