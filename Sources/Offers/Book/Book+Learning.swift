/// The part of a book that is stored: what Apple said, with the accounts that it belongs to.
extension Book {
    /// The chapters of Apple's, presented for an account, that are remembered.
    ///
    /// Of more than ``mostOfAccount`` subscriptions those with the newest transactions count; then nobody knows all that
    /// the account has. The account is tied to the subscriptions unless they name others. `isConfirmed` says that the App
    /// Store itself spoke, in an answer or a notification.
    package func remembered(
        presentedFor account: Account = .none,
        digester: some AccountDigester,
        at moment: Timestamp,
        isConfirmed: Bool = false
    ) -> Book {
        guard let presentation = Presentation(of: self, for: account, digester, at: moment) else { return Book() }
        // A purchase that neither renews nor expires is no subscription.
        let all = chapters.filter { chapter in
            chapter.id != nil
                && (chapter.renewal?.content != nil
                    || chapter.transactions.contains { $0.content.expiresDate != nil || $0.content.kind == .bundle })
        }
        let confirmed = isConfirmed ? asOf : nil
        let linked = Self.linked(all)
        func stored(_ chapter: Chapter) -> Chapter {
            presentation.remembered(chapter, confirmed, linked: linked[chapter.id ?? ""] ?? [])
        }
        guard all.count <= Self.mostOfAccount else {
            // A mark would say that all subscriptions are held, and here some are not.
            return Book(chapters: Self.newest(of: all).map(stored))
        }
        return Book(
            chapters: all.map(stored) + former(beside: all, linked, by: presentation),
            marks: presentation.mark.map { [$0] } ?? []
        )
    }

    /// The other identifiers of each subscription, in both directions: a question by any of them finds the others.
    private static func linked(_ all: [Chapter]) -> [String: Set<String>] {
        guard all.contains(where: { !$0.linked.isEmpty }) else { return [:] }
        var linked: [String: Set<String>] = [:]
        for chapter in all {
            for other in chapter.linked {
                linked[chapter.id ?? "", default: []].insert(other)
                linked[other, default: []].insert(chapter.id ?? "")
            }
        }
        return linked
    }

    /// The redemptions that a client showed, in its own words: all else counts for its request alone.
    package func shownRedemptions(for account: Account, digester: some AccountDigester) -> Book {
        func isRedeemed(_ chapter: Chapter) -> Bool {
            chapter.transactions.contains { $0.content.offer?.catalogId != nil && $0.content.isOwnPurchase }
        }
        // Mostly there are none.
        guard chapters.contains(where: isRedeemed), let asOf,
            let presentation = Presentation(of: self, for: account, digester, at: asOf)
        else { return Book() }
        let redeemed = chapters.filter { $0.id != nil && isRedeemed($0) }
        return Book(chapters: Self.newest(of: redeemed).map(presentation.redemptions))
    }

    /// How many subscriptions are remembered of one history, and read of one account.
    ///
    /// It is far more than any customer has: of a group one at a time, which keeps its identifier through renewals,
    /// upgrades and pauses, so that a new one comes with a new group or another Apple Account. Without a bound an
    /// account to which thousands were tied would cost each of its requests seconds.
    package static let mostOfAccount = 64

    /// The former identifiers of subscriptions, of which nothing else is said: they lead to the present ones.
    private func former(
        beside all: [Chapter],
        _ linked: [String: Set<String>],
        by presentation: Presentation<some AccountDigester>
    ) -> [Chapter] {
        guard !linked.isEmpty else { return [] }
        let known = Dictionary(all.map { ($0.id ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        return linked.keys.filter { known[$0] == nil }.sorted().prefix(Self.mostOfAccount).map { id in
            let later = (linked[id] ?? []).sorted().lazy.compactMap { known[$0] }.first
            return presentation.former(id, of: later, linked: linked[id] ?? [])
        }
    }

    /// The newest subscriptions of a book with too many: the same ones whenever it comes.
    private static func newest(of all: [Chapter]) -> [Chapter] {
        guard all.count > mostOfAccount else { return all }
        let dated = all.map { chapter in
            let newest = chapter.transactions.lazy.compactMap { $0.content.purchaseDate ?? $0.content.expiresDate }
                .max()
            let signed = chapter.renewal.flatMap { $0.source == .signature ? $0.asOf : nil }
            return (date: newest ?? signed ?? Timestamp(millisecondsSince1970: .min), chapter: chapter)
        }
        return dated.sorted { left, right in
            (left.date, left.chapter.id ?? "") > (right.date, right.chapter.id ?? "")
        }.prefix(mostOfAccount).map(\.chapter)
    }

    /// Whether it says more than what is held of its subscriptions and account, or the same more than an hour later.
    package func isNews(beside held: Book) -> Bool {
        for seen in chapters {
            guard let known = held.chapters.first(where: { $0.identity == seen.identity }) else { return true }
            if !known.joining(seen).isNoNews(after: known) { return true }
        }
        guard let mark = mark(beside: { id in held.chapters.first { $0.identity == id } }) else { return false }
        let known = held.marks.first { $0.bundleId == mark.bundleId && $0.environment == mark.environment }
        return known.map { $0.asOf.adding(seconds: 3600) < mark.asOf } ?? true
    }

    /// The mark, unless a subscription has no room for the account once this is joined into it.
    ///
    /// Then not all of them are found by the account.
    package func mark(beside held: (SubscriptionIdentity) -> Chapter?) -> AccountHistoryMark? {
        guard let mark = marks.first else { return nil }
        let hasRoom = chapters.allSatisfy { seen in
            seen.accounts[mark.account] == nil || held(seen.identity)?.accounts[mark.account] != nil
        }
        return hasRoom ? mark : nil
    }

    /// Leaves out subscriptions of an account beyond the first ``mostOfAccount`` by identifier, which the App Store
    /// gives out in order.
    ///
    /// Subscriptions that the question names always stay. Where any is left out there are no marks: that all
    /// subscriptions of the account are known is no longer so.
    package mutating func leaveOut(beyond question: StateQuestion) {
        guard let account = question.account, chapters.count > Self.mostOfAccount else { return }
        let own = chapters.indices.filter { chapters[$0].accounts[account] != nil }
        guard own.count > Self.mostOfAccount else { return }
        let sorted = own.sorted { chapters[$1].identity.isBefore(chapters[$0].identity) }
        let leftOut = Set(sorted.dropFirst(Self.mostOfAccount))
        chapters = chapters.indices.filter { index in
            !leftOut.contains(index) || question.subscriptions.contains(chapters[index].identity)
        }.map { chapters[$0] }
        marks = []
    }
}

/// A book of a known app and environment, with the account that it was presented for.
private struct Presentation<Digester: AccountDigester> {
    let bundleId: String
    let environment: AppStoreEnvironment
    let listing: Listing
    let asOf: Timestamp
    let moment: Timestamp
    /// The digest of that account; `nil` where none was named.
    let presenter: AccountDigest?
    let token: AppAccountToken?
    let digester: Digester
    /// The accounts that any transaction names.
    let everyones: Set<AppAccountToken>

    init?(of book: Book, for account: Account, _ digester: Digester, at moment: Timestamp) {
        guard let listing = book.listing, let bundleId = listing.bundleId, let environment = listing.environment,
            let asOf = listing.asOf
        else { return nil }
        self.listing = listing
        self.bundleId = bundleId
        self.environment = environment
        self.asOf = asOf
        self.moment = moment
        self.digester = digester
        presenter = account.stateKey.map { digester.digest(of: $0, bundleId: bundleId) }
        token = account.storedToken
        everyones = book.chapters.reduce(into: []) { $0.formUnion($1.tokens) }
    }

    /// The mark that these are all subscriptions of the account, if the book says so.
    var mark: AccountHistoryMark? {
        guard let presenter, listing.coverage.showsEverySubscription, !isOthers([]) else { return nil }
        return AccountHistoryMark(account: presenter, bundleId: bundleId, environment: environment, asOf: asOf)
    }

    /// Whether accounts are named, and the presenter's is none of them: by these transactions, or else by any.
    private func isOthers(_ named: Set<AppAccountToken>) -> Bool {
        let tokens = named.isEmpty ? everyones : named
        return !tokens.isEmpty && token.map(tokens.contains) != true
    }

    /// A chapter as it is stored: with its accounts by their digests, and without what no decision needs.
    func remembered(_ chapter: Chapter, _ confirmed: Timestamp?, linked: Set<String>) -> Chapter {
        let (ties, pseudonyms) = accounts(of: chapter)
        let transactions = chapter.transactions.map { said in
            var said = said
            said.content.appAccountToken = said.content.appAccountToken.flatMap { pseudonyms[$0] }
            said.content.typeName = nil
            if said.content.offer?.catalogId == nil {
                // Only redemptions need prices.
                said.content.price = nil
            }
            return said
        }
        // That an old answer lacks an entry says nothing; and a status without a renewal info is none.
        let saysNothing =
            chapter.renewal?.content == nil && !listing.coverage.showsEverySubscription
            || chapter.renewal?.content?.isStandIn == true
        let renewal = saysNothing ? nil : chapter.renewal
        return Chapter(
            chapter.identity,
            transactions: transactions,
            renewal: renewal,
            accepted: AcceptedOffer.found(in: renewal, beside: chapter.transactions),
            accounts: ties,
            linked: linked,
            confirmed: confirmed
        ).bounded()
    }

    func redemptions(in chapter: Chapter) -> Chapter {
        var accounts: [AccountDigest: AccountTie] = [:]
        if let presenter, !isOthers(chapter.tokens) { accounts[presenter] = .redeemed }
        let shown = RedemptionRun.whole(in: chapter.transactions.map(\.content))
        return Chapter(chapter.identity, shown: shown, accounts: accounts).bounded()
    }

    func former(_ id: String, of later: Chapter?, linked: Set<String>) -> Chapter {
        let identity = SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: id)
        return Chapter(identity, accounts: later.map { accounts(of: $0).ties } ?? [:], linked: linked).bounded()
    }

    /// The accounts of a chapter's transactions, and the pseudonyms of those that they name.
    private func accounts(
        of chapter: Chapter
    ) -> (ties: [AccountDigest: AccountTie], pseudonyms: [AppAccountToken: AppAccountToken]) {
        var ties: [AccountDigest: AccountTie] = [:]
        let tokens = chapter.tokens
        if let presenter, !isOthers(tokens) { ties[presenter] = .presented(at: moment) }
        var pseudonyms: [AppAccountToken: AppAccountToken] = [:]
        for token in tokens {
            let own = token == self.token ? presenter : nil
            let digest = own ?? digester.digest(of: token.lowercased, bundleId: bundleId)
            ties[digest] = .bought
            pseudonyms[token] = digest.pseudonym
        }
        return (ties, pseudonyms)
    }
}

extension Chapter {
    fileprivate var tokens: Set<AppAccountToken> { Set(transactions.lazy.compactMap(\.content.appAccountToken)) }
}
