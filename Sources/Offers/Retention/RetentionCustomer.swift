/// The customer of a retention call, as remembered: all of one subscription, whichever accounts it was bought for.
package struct RetentionCustomer: Sendable {
    /// `nil` for a subscription that is not known.
    package let book: Book?
    /// The account that has the subscription, where it is known: caps count for it as for its own requests.
    package let account: AccountDigest?
    /// Whether a purchase names the account; else it has only shown the subscription.
    let isNamed: Bool

    package init(_ subscription: SubscriptionIdentity, in held: Book, of app: App) {
        let known = held.chapters.first { $0.identity == subscription }
        var book = Book(
            held: Book(chapters: held.chapters),
            of: app,
            in: [subscription.environment],
            for: AccountView(),
            asking: subscription.originalTransactionId
        )
        // The call names no account: the accounts of purchases are no reason to leave any out.
        book?.forgetAccounts()
        let owner = book == nil ? nil : known?.owner(in: app)
        self.init(book: book, account: owner?.account, isNamed: owner?.isNamed == true)
    }

    private init(book: Book?, account: AccountDigest?, isNamed: Bool) {
        self.book = book
        self.account = account
        self.isNamed = isNamed
    }

    /// The same customer, with the redemptions by the account's other subscriptions, given what is held of the account.
    package func redeeming(by held: Book, beside subscription: SubscriptionIdentity) -> RetentionCustomer {
        let id = subscription.originalTransactionId
        let same = [id] + (book?.otherIds(of: id) ?? [])
        let others = held.chapters.filter {
            !same.contains($0.identity.originalTransactionId) && $0.identity.bundleId == subscription.bundleId
                && $0.identity.environment == subscription.environment
        }
        let whole = book?.adding(redemptions: others.flatMap(\.redemptions))
        return RetentionCustomer(book: whole, account: account, isNamed: isNamed)
    }
}

extension Book {
    fileprivate mutating func forgetAccounts() {
        for place in chapters.indices {
            for index in chapters[place].transactions.indices {
                chapters[place].transactions[index].content.appAccountToken = nil
            }
        }
    }
}

extension Chapter {
    /// The account that has the subscription: of the newest purchase with one; without any the only presenter; `nil` if
    /// not known.
    ///
    /// The presenter says nothing of the owner if a part of a name is the customer.
    fileprivate func owner(in app: App) -> (account: AccountDigest, isNamed: Bool)? {
        let newest = transactions.lazy.map(\.content).filter { $0.appAccountToken != nil }
            .max(by: Transaction.isOlder)
        if let pseudonym = newest?.appAccountToken {
            return accounts.keys.first { $0.pseudonym == pseudonym }.map { ($0, true) }
        }
        guard app.customerSeparator == nil else { return nil }
        let presenters = accounts.filter { if case .presented = $0.value { true } else { false } }
        return presenters.count == 1 ? presenters.first.map { ($0.key, false) } : nil
    }
}
