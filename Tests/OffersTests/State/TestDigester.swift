import Offers

/// A digest that anybody can compute: good enough for tests of what is done with digests.
struct TestDigester: AccountDigester {
    func digest(of text: String, bundleId: String) -> AccountDigest {
        var bytes = [UInt8](repeating: 0, count: 32)
        for (index, byte) in text.utf8.enumerated() { bytes[index % 32] = bytes[index % 32] &* 31 &+ byte }
        return AccountDigest(bytes)
    }
}

/// What is held after some books were joined, one after the other.
func held(_ said: [Book]) -> Book {
    var chapters: [SubscriptionIdentity: Chapter] = [:]
    var marks: [AccountHistoryMark] = []
    for book in said {
        for seen in book.chapters { chapters[seen.identity] = chapters[seen.identity]?.joining(seen) ?? seen }
        if let mark = book.mark(beside: { chapters[$0] }) { marks = mark.put(into: marks) }
    }
    return Book(chapters: Array(chapters.values), marks: marks)
}

/// What is remembered of evidence of Apple's.
func observation(_ shown: Shown, for account: Account = .none, at moment: Timestamp = clock) -> Book {
    shown.book.remembered(presentedFor: account, digester: TestDigester(), at: moment)
}

/// What is remembered of evidence that a client showed.
func shown(_ shown: Shown, for account: Account = .none) -> Book {
    shown.book.shownRedemptions(for: account, digester: TestDigester())
}

extension Account {
    static let alice = Account.applicationUsername("7e3fb20b-4cdb-47cc-936d-99d65f608138")
    static let bob = Account.applicationUsername("00000000-4cdb-47cc-936d-99d65f608138")

    var view: AccountView { AccountView(self, of: "com.example.reader", digester: TestDigester()) }
}

func identity(_ id: String) -> SubscriptionIdentity {
    SubscriptionIdentity(bundleId: "com.example.reader", environment: .production, originalTransactionId: id)
}

/// What is held of an account, without evidence; `nil` where nothing is.
func alone(
    _ said: [Book],
    for account: Account = .alice,
    of app: App = exampleApp(environments: [.production, .sandbox])
) -> Book? { Book(held: held(said), of: app, for: account.view) }

/// Evidence with what is held of Alice.
func updated(_ evidence: Shown, by said: [Book], isApples: Bool = true) -> Book {
    var book = evidence.book
    if !isApples {
        var client = evidence
        client.source = .client
        book = client.book
    }
    return book.joined(with: held(said), for: Account.alice.view)
}

/// The reason of a decision about one offer.
func decide(
    _ said: (any CustomerSaying)?,
    _ offer: String = "anyone",
    for account: Account = .alice,
    product: String = "pro.monthly",
    limit: Int64 = 86_400,
    since oldest: Timestamp? = nil,
    at now: Timestamp = clock
) -> Reason {
    let heldAge = oldest.map { HeldAge.limited((now.millisecondsSince1970 - $0.millisecondsSince1970) / 1000) }
    let app = exampleApp(environments: [.production, .sandbox])
    var policy = examplePolicy(said, for: account, of: app, maximumAge: limit, heldAge: heldAge, at: now)
    return policy.decide(OfferRequest(productId: product, offerId: offer)).reason
}
