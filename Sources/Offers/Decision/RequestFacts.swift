import Synchronization

/// The facts that are the same for every decision of one request.
///
/// A reference, as every rule is handed it: copying the values in it for each would take longer than the rules.
final class RequestFacts: Sendable {
    let app: App
    /// The environments that count for the request.
    let environments: Set<AppStoreEnvironment>
    let customer: Customer
    /// The part of the book that can be the account's own; `nil` without evidence.
    let ownBook: Book?
    /// `nil` if the ledger was not asked.
    let ledgerAnswer: LedgerAnswer?
    let now: Timestamp
    /// 0 for no limit.
    let maximumEvidenceAgeSeconds: Int64
    let heldAge: HeldAge
    /// `nil` where nobody is held out.
    let draw: (any HoldoutDraw)?

    var account: Account { customer.account }
    /// `nil` without evidence.
    var book: Book? { customer.book }

    /// Held state beside evidence that was said before can only refuse; `nil` for no limit.
    var oldestHeld: Timestamp? {
        if case .limited(let seconds) = heldAge, seconds > 0 { now.adding(seconds: -seconds) } else { nil }
    }

    /// The customer's redemptions, as far as the evidence shows; `nil` without evidence.
    ///
    /// They are counted when the first offer asks, for all of them at once.
    var redemptions: RedemptionTally? {
        guard let book else { return nil }
        return tally.withLock { tally in
            if let tally { return tally }
            let counted = RedemptionTally(book, of: app, at: now)
            tally = counted
            return counted
        }
    }

    private let tally = Mutex<RedemptionTally?>(nil)

    init(
        app: App,
        environments: Set<AppStoreEnvironment>? = nil,
        customer: Customer,
        now: Timestamp,
        maximumEvidenceAgeSeconds: Int64,
        heldAge: HeldAge,
        draw: (any HoldoutDraw)? = nil,
        ledgerAnswer: LedgerAnswer? = nil,
        ownBook: Book? = nil
    ) {
        self.app = app
        self.environments = environments ?? app.environments
        self.customer = customer
        self.ownBook = ownBook ?? customer.book.map { $0.leavingOutOthers(than: customer.account) ?? $0 }
        self.ledgerAnswer = ledgerAnswer
        self.now = now
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
        self.heldAge = heldAge
        self.draw = draw
    }

    /// The same facts with the ledger's counts, or of another customer.
    func with(answer: LedgerAnswer? = nil, customer other: Customer? = nil) -> RequestFacts {
        RequestFacts(
            app: app,
            environments: environments,
            customer: other ?? customer,
            now: now,
            maximumEvidenceAgeSeconds: maximumEvidenceAgeSeconds,
            heldAge: heldAge,
            draw: draw,
            ledgerAnswer: answer ?? ledgerAnswer,
            ownBook: other == nil ? ownBook : nil
        )
    }
}

/// How old held state may be.
package enum HeldAge: Equatable, Sendable {
    /// In seconds; 0 for no limit.
    case limited(Int64)
    /// In seconds once the paid time is over, any age before.
    case whilePaid(Int64)
    /// Any age, as long as Apple's own ends run; the accounts that presented it count, or do not.
    case any(countsAccounts: Bool = false)
}

/// The customer that a decision is about.
package struct Customer: Sendable {
    /// The account to sign for.
    package let account: Account
    /// `nil` without evidence.
    package let book: Book?
    /// The account's held state in Production, if the book is of another environment: an offer has to hold by both.
    let production: Book?
    /// The account that has the subscription, where Apple or an operator asks and names none.
    package let knownAccount: AccountDigest?
    /// Whether a purchase names that account, in what is held.
    let isNamed: Bool
    /// Whether held state replaces an answer of Apple, who could not be reached.
    let isStandIn: Bool

    package init(
        account: Account,
        book: Book?,
        production: Book? = nil,
        knownAccount: AccountDigest? = nil,
        isNamed: Bool = false,
        isStandIn: Bool = false
    ) {
        self.account = account
        self.book = book
        self.production = production
        self.knownAccount = knownAccount
        self.isNamed = isNamed
        self.isStandIn = isStandIn
    }

    /// The customer by a book and what is held of the account: redemptions of Production count in the Sandbox, and an offer
    /// has to hold there, too.
    package init(
        account: Account,
        book: Book?,
        beside held: Book,
        of app: App,
        in environments: Set<AppStoreEnvironment>,
        for view: AccountView,
        knownAccount: AccountDigest? = nil,
        isStandIn: Bool = false
    ) {
        var book = book
        var production: Book?
        if let account = view.digest, let other = book, other.environment != .production,
            environments.contains(.production)
        {
            book = other.adding(redemptions: held.redemptions(in: .production, of: account))
            production = Book(held: held, of: app, in: [.production], for: view)
        }
        self.init(
            account: account,
            book: book,
            production: production,
            knownAccount: knownAccount,
            isStandIn: isStandIn
        )
    }

    /// The same customer by another book alone.
    func with(_ book: Book) -> Customer {
        Customer(
            account: account,
            book: book,
            knownAccount: knownAccount,
            isNamed: isNamed,
            isStandIn: isStandIn
        )
    }
}

package struct OfferRequest: Hashable, Sendable {
    package let productId: String
    package let offerId: String

    package init(productId: String, offerId: String) {
        self.productId = productId
        self.offerId = offerId
    }
}
