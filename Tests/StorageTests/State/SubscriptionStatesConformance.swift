import Foundation
import LedgerFixtures
import Offers
import Testing

@testable import Storage

/// What holds for every place where state is held: the tests of each implementation are these.
struct StatesImplementation: CustomTestStringConvertible, Sendable {
    let name: String
    /// Makes an empty one; what has to live as long is in the second.
    let make: @Sendable () throws -> (any SubscriptionStates, any Sendable)

    var testDescription: String { name }

    /// Every implementation.
    static let all = [
        StatesImplementation(name: "memory") { (InMemorySubscriptionStates(), 0) },
        StatesImplementation(name: "SQLite") {
            let directory = try TemporaryDirectory()
            let database = try SQLiteDatabase(path: directory.path("state.sqlite"))
            return (DurableSubscriptionStates(in: database, digestKey: testDigestKey, now: { clock }), directory)
        },
        StatesImplementation(name: "PostgreSQL") {
            let database = try PostgreSQLDatabase(try TestServer.makeDatabase())
            return (DurableSubscriptionStates(in: database, digestKey: testDigestKey, now: { clock }), database)
        },
    ]
}

let clock = Timestamp(millisecondsSince1970: 1_795_262_400_000)

/// An account's digest.
func digest(_ number: UInt8) -> AccountDigest { AccountDigest([UInt8](repeating: number, count: 16)) }

func identity(_ id: String, _ bundleId: String = "com.example.reader") -> SubscriptionIdentity {
    SubscriptionIdentity(bundleId: bundleId, environment: .production, originalTransactionId: id)
}

/// A subscription with one transaction.
func subscription(
    _ id: String = "1",
    of account: AccountDigest? = digest(1),
    tie: AccountTie = .bought,
    bundleId: String = "com.example.reader",
    transactionId: String = "1",
    offer: RedeemedOffer? = nil,
    refunded: Bool = false,
    bought moment: Timestamp? = nil,
    price: PaidPrice? = nil,
    said seconds: Int64 = 0
) -> HeldSubscription {
    let date = clock.adding(seconds: seconds)
    let transaction = Transaction(
        originalTransactionId: id,
        productId: "monthly",
        subscriptionGroupIdentifier: "1",
        purchaseDate: moment ?? clock.adding(seconds: (Int64(transactionId) ?? 0) * 1000),
        expiresDate: clock.adding(seconds: 90_000),
        revocationDate: refunded ? date : nil,
        revocation: refunded ? Revocation(.prorated, percentage: 50_000) : nil,
        appAccountToken: account?.pseudonym,
        offer: offer,
        transactionId: transactionId,
        signedDate: date,
        price: price,
        storefront: price == nil ? nil : "DEU",
        billingPlan: .monthly(
            BillingPlan.Commitment(billingPeriodNumber: 3, totalBillingPeriods: 12, expiresDate: clock)
        )
    )
    var renewal = RenewalInfo(
        originalTransactionId: id,
        productId: "monthly",
        autoRenewStatus: true,
        gracePeriodExpiresDate: clock,
        offer: .promotional("next"),
        commitmentAutoRenewStatus: false,
        signedDate: date
    )
    renewal.status = SubscriptionStatus(.gracePeriod, asOf: clock)
    renewal.eligibleWinBackOfferIds = ["second", "first"]
    return HeldSubscription(
        identity(id, bundleId),
        transactions: [Held(transaction, asOf: date)],
        renewal: Held(renewal, asOf: date),
        accounts: account.map { [$0: tie] } ?? [:]
    )
}

/// What is seen of subscriptions.
func seen(_ held: HeldSubscription..., mark: AccountHistoryMark? = nil) -> StateObservation {
    StateObservation(subscriptions: held, mark: mark)
}

extension StateStore {
    /// Writes what evidence shows.
    func learn(_ observations: StateObservation...) throws(StorageFailure) {
        _ = try commit(observations.map { StateWork(notification: nil, observation: $0) })
    }
}

/// That all subscriptions of an account were known so many seconds after the start.
func allKnown(_ account: UInt8 = 1, _ seconds: Int64 = 0) -> AccountHistoryMark {
    AccountHistoryMark(
        account: digest(account),
        bundleId: "com.example.reader",
        environment: .production,
        asOf: clock.adding(seconds: seconds)
    )
}

func notification(_ id: String) -> NotificationRecord {
    let notification = AppleNotification(
        id: id,
        type: "REFUND",
        subtype: nil,
        bundleId: "com.example.reader",
        environment: .production,
        signedDate: clock,
        history: nil
    )
    return NotificationRecord(notification, receivedAt: clock)
}

func question(_ account: UInt8?, _ ids: String..., bundleId: String = "com.example.reader") -> StateQuestion {
    StateQuestion(
        bundleId: bundleId,
        account: account.map(digest),
        subscriptions: ids.map { identity($0, bundleId) }
    )
}

@Suite("Wherever state is held")
struct SubscriptionStatesTests {
    @Test("An observation is found by account and by subscription, at once", arguments: StatesImplementation.all)
    func learnt(implementation: StatesImplementation) async throws {
        let (states, keep) = try implementation.make()
        let all: [RedeemedOffer?] = [
            .introductory, .promotional("a"), .offerCode("b"), .winBack("c"), nil, .other(type: 6, identifier: ""),
        ]
        for (index, offer) in all.enumerated() {
            states.learn(seen(subscription(transactionId: "\(index)", offer: offer)))
        }
        var expected = subscription(transactionId: "0", offer: .introductory)
        for (index, offer) in all.enumerated().dropFirst() {
            expected.merge(subscription(transactionId: "\(index)", offer: offer))
        }
        #expect(try await states.held(question(1)).subscriptions == [expected])
        #expect(try await states.held(question(nil, "1")).subscriptions == [expected])
        // What waits to be written may have to be asked for.
        if let atHand = states.atHand(question(1, "1")) { #expect(atHand.subscriptions == [expected]) }
        #expect(try await states.held(question(2)).isEmpty)
        #expect(try await states.held(question(1, bundleId: "com.example.other")).isEmpty)
        #expect(try await states.held(question(1)).subscriptions.first?.redemptions.map(\.offerId) == ["a"])
        _ = keep
    }

    @Test("A notification counts once, and at once", arguments: StatesImplementation.all)
    func notifications(implementation: StatesImplementation) async throws {
        let (states, keep) = try implementation.make()
        states.learn(seen(subscription()))
        #expect(try await states.held(question(1)).subscriptions.count == 1)
        let refund = seen(subscription(refunded: true, said: 60))
        #expect(try await states.keep(notification("a"), refund))
        #expect(try await states.held(question(1)).subscriptions.first?.transactions["1"]?.value.revocationDate != nil)
        #expect(try await !states.keep(notification("a"), seen(subscription("2"))))
        #expect(try await states.held(question(nil, "2")).isEmpty)
        #expect(try await states.keep(notification("b"), seen(subscription(said: -60))))
        #expect(try await states.held(question(1)).subscriptions.first?.transactions["1"]?.value.revocationDate != nil)
        _ = keep
    }

    @Test("The newest date at which all was known of an account is kept", arguments: StatesImplementation.all)
    func marks(implementation: StatesImplementation) async throws {
        let (states, keep) = try implementation.make()
        for known in [allKnown(), allKnown(1, 20), allKnown(1, 10)] {
            states.learn(seen(mark: known))
        }
        #expect(try await states.held(question(1)).marks == [allKnown(1, 20)])
        _ = keep
    }

    @Test(
        "Of an account to which too many were tied the last are read, what is named besides, and no mark",
        arguments: StatesImplementation.all
    )
    func tooMany(implementation: StatesImplementation) async throws {
        let (states, keep) = try implementation.make()
        let most = HeldState.mostOfAccount
        let mark = allKnown()
        func id(_ number: Int) -> String { "\(2_000_000 + number)" }
        func check(_ count: Int) async throws {
            let known = try await states.held(question(1, id(0)))
            let newest = (max(count - most, 0)..<count).map(id)
            #expect(Set(known.subscriptions.map(\.identity.originalTransactionId)) == Set(newest + [id(0)]))
            #expect(known.subscriptions.count == Set(newest + [id(0)]).count)
            #expect(known.marks == (count > most ? [] : [mark]))
        }
        for start in stride(from: 0, to: 3 * most, by: most / 2) {
            let end = start + most / 2
            let learnt = (start..<end).map { subscription(id($0), said: Int64($0)) }
            states.learn(StateObservation(subscriptions: learnt, mark: mark))
            // While it waits to be written, and when it was.
            try await check(end)
            #expect(try await states.keep(notification("\(start)"), seen()))
            try await check(end)
        }
        #expect(try await states.forget(digest(1)) == 3 * most)
        _ = keep
    }

    @Test(
        "Of an account that later ones pushed out of a subscription it is not said that all is known",
        arguments: StatesImplementation.all
    )
    func pushedOut(implementation: StatesImplementation) async throws {
        let (states, keep) = try implementation.make()
        func present(for number: UInt8, at second: Int64) {
            let tie = AccountTie.presented(at: clock.adding(seconds: second))
            states.learn(seen(subscription(of: digest(number), tie: tie), mark: allKnown(number)))
        }
        func check(_ number: UInt8, _ count: Int) async throws {
            #expect(try await states.held(question(number)).marks.count == count)
        }
        func write(_ name: String) async throws {
            #expect(try await states.keep(notification(name), seen()))
        }
        let last = UInt8(HeldSubscription.mostPresenters) + 1
        let month: Int64 = 31 * 86_400
        for number in 1..<last { present(for: number, at: Int64(number)) }
        try await write("first")
        try await check(1, 1)
        // There is no room for another one before a month is over.
        present(for: last, at: 100)
        try await check(1, 1)
        try await check(last, 0)
        try await write("second")
        try await check(1, 1)
        try await check(last, 0)
        present(for: last, at: month)
        // While it waits to be written, and when it was.
        try await check(1, 0)
        try await check(last, 1)
        try await write("third")
        try await check(1, 0)
        try await check(last, 1)
        present(for: 1, at: month + 100)
        try await check(1, 1)
        try await check(2, 0)
        try await write("fourth")
        try await check(1, 1)
        try await check(2, 0)
        _ = keep
    }

    @Test(
        "A subscription is found by each of its identifiers with all of them, before it is written and afterwards",
        arguments: StatesImplementation.all
    )
    func linked(implementation: StatesImplementation) async throws {
        let (states, keep) = try implementation.make()
        func link(_ id: String, to others: Set<String>) -> HeldSubscription {
            HeldSubscription(identity(id), linked: others)
        }
        func ids(_ question: StateQuestion) async throws -> Set<String> {
            Set(try await states.held(question).subscriptions.map(\.identity.originalTransactionId))
        }
        states.learn(seen(subscription("1", of: nil)))
        _ = try await states.keep(notification("first"), seen())
        states.learn(seen(subscription("2"), link("2", to: ["1"]), link("1", to: ["2"])))
        #expect(try await ids(question(nil, "1")) == ["1", "2"])
        #expect(try await ids(question(1)) == ["1", "2"])
        states.learn(
            seen(subscription("3", of: nil), link("3", to: ["2"]), link("2", to: ["3"]))
        )
        for writing in [true, false] {
            for number in ["1", "2", "3"] { #expect(try await ids(question(nil, number)) == ["1", "2", "3"]) }
            #expect(try await ids(question(1)) == ["1", "2", "3"])
            if let atHand = states.atHand(question(nil, "1")) { #expect(atHand.subscriptions.count == 3) }
            if writing { _ = try await states.keep(notification("second"), seen()) }
        }
        let together = await states.held([question(nil, "1"), question(1), question(nil, "9")])
        #expect(try together.map { try $0.get().subscriptions.count } == [3, 3, 0])
        _ = keep
    }

    @Test(
        "Forgetting a customer deletes the purchases, and leaves those of others",
        arguments: StatesImplementation.all
    )
    func forgotten(implementation: StatesImplementation) async throws {
        let (states, keep) = try implementation.make()
        states.learn(
            seen(subscription("1", of: digest(1)), subscription("2", of: digest(2)))
        )
        states.learn(seen(subscription("2", of: digest(1), tie: .presented(at: clock))))
        let mark = allKnown()
        states.learn(seen(mark: mark))
        // With this all of it is written, and what is read next stays in memory.
        #expect(try await states.forget(digest(9)) == 0)
        #expect(try await states.held(question(1)).marks == [mark])
        #expect(try await states.forget(digest(1)) == 2)
        #expect(try await states.held(question(1)).isEmpty)
        #expect(try await states.held(question(1)).marks.isEmpty)
        #expect(try await states.held(question(nil, "1")).isEmpty)
        #expect(try await states.held(question(2)).subscriptions.map(\.identity.originalTransactionId) == ["2"])
        #expect(try await states.held(question(2)).subscriptions.first?.accounts.keys.contains(digest(1)) == false)
        #expect(try await states.forget(digest(1)) == 0)
        _ = keep
    }
}
