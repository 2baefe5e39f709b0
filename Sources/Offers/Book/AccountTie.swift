/// How a subscription belongs to an account.
package enum AccountTie: Equatable, Sendable {
    /// Apple keeps the account with a purchase of the subscription (`appAccountToken`).
    case bought
    /// A request for the account came with Apple's word of the subscription, which names no account.
    ///
    /// The moment is that of the last such request, as far as that is noted.
    case presented(at: Timestamp)
    /// A request for the account showed a redemption, in a client's words alone: nothing but that redemption counts.
    case redeemed

    /// The days for which an account that presented evidence keeps its place.
    static let keptDays = 30

    func orStronger(_ other: AccountTie) -> AccountTie {
        switch (self, other) {
        case (.bought, _), (_, .bought): .bought
        case (.presented(let left), .presented(let right)): .presented(at: max(left, right))
        case (.presented, _): self
        case (.redeemed, _): other
        }
    }

    /// Whether it says no more than an earlier one: an account that comes again is noted once a day.
    func isNoNews(after earlier: AccountTie) -> Bool {
        switch (self, earlier) {
        case (.presented(let moment), .presented(let before)): moment <= before.adding(days: 1)
        default: self == earlier
        }
    }
}

/// An account as held state knows it: by its digest.
package struct AccountView: Equatable, Sendable {
    package let account: Account
    /// `nil` for no account.
    package let digest: AccountDigest?

    package init(_ account: Account, of bundleId: String, digester: some AccountDigester) {
        self.account = account
        digest = account.stateKey.map { digester.digest(of: $0, bundleId: bundleId) }
    }

    /// Of an account of which nothing but the digest is known: its pseudonym stands for it.
    package init(knownBy digest: AccountDigest) {
        account = .appAccountToken(digest.pseudonym)
        self.digest = digest
    }

    /// Of no account.
    package init() {
        account = .none
        digest = nil
    }

    /// A stored chapter as the account's request reads it: remembered, and with the account's own token instead of the
    /// pseudonym.
    func remembered(_ stored: Chapter) -> Chapter {
        var chapter = stored
        chapter.renewal?.source = .memory
        let stored = account.storedToken
        let pseudonym = stored == nil ? nil : digest?.pseudonym
        for place in chapter.transactions.indices {
            chapter.transactions[place].source = .memory
            guard let pseudonym, chapter.transactions[place].content.appAccountToken == pseudonym else { continue }
            chapter.transactions[place].content.appAccountToken = stored
        }
        return chapter
    }
}

/// Marks an account of which Apple once listed all subscriptions, so that one not held did not exist.
///
/// Signed transactions never make one: they show their sender's choice.
package struct AccountHistoryMark: Equatable, Sendable {
    package let account: AccountDigest
    package let bundleId: String
    /// The environment that answered.
    package let environment: AppStoreEnvironment
    /// Apple's clock at that moment.
    package let asOf: Timestamp

    package init(account: AccountDigest, bundleId: String, environment: AppStoreEnvironment, asOf: Timestamp) {
        self.account = account
        self.bundleId = bundleId
        self.environment = environment
        self.asOf = asOf
    }

    /// Puts the mark among others of the account, in place of an older one of its app and environment.
    package func put(into others: [AccountHistoryMark]) -> [AccountHistoryMark] {
        guard let index = others.firstIndex(where: { $0.bundleId == bundleId && $0.environment == environment }) else {
            return others + [self]
        }
        guard others[index].asOf < asOf else { return others }
        var marks = others
        marks[index] = self
        return marks
    }
}
