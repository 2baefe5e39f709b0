import Offers
import Testing

@Suite("Held state, whatever comes when")
struct HeldSubscriptionTests {
    /// A customer's life, told in pieces by three sources, at random: seeds make it the same each time.
    private func deliveries(_ seed: UInt64) -> [StateLesson] {
        var random = SeededGenerator(seed: seed)
        let accounts: [Account] = [.none, .alice, .bob, .applicationUsername("carol")]
        return (0..<12).map { _ in
            let id = "\(Int.random(in: 1...2, using: &random))"
            let number = Int.random(in: 0..<5, using: &random)
            let told = day(Double(Int.random(in: -9...0, using: &random)))
            let source = StateSource.allCases.randomElement(using: &random) ?? .signed
            var transaction = bought(
                id,
                on: Double(number * 30 - 200),
                until: Double(number * 30 - 170),
                refunded: Int.random(in: 0..<4, using: &random) == 0 ? -5 : nil,
                by: Int.random(in: 0..<3, using: &random) == 0 ? Account.alice.payloadField : nil,
                under: number % 2 == 0 ? .promotional("once") : nil,
                called: "\(id).\(number)"
            )
            transaction.signedDate = source == .signed ? told : nil
            var renewal = entry(id, renews: Bool.random(using: &random))
            renewal.signedDate = source == .signed ? told : nil
            let isAlone = Int.random(in: 0..<4, using: &random) == 0
            return lesson(
                history(
                    isAlone ? [] : [renewal],
                    [transaction],
                    asOf: told,
                    coverage: source == .signed ? .partial : .complete
                ),
                source,
                for: accounts.randomElement(using: &random) ?? .none,
                at: day(Double(Int.random(in: -9...0, using: &random)))
            )
        }
    }

    private func sorted(_ state: HeldState) -> [HeldSubscription] {
        state.subscriptions.sorted { $0.identity.originalTransactionId < $1.identity.originalTransactionId }
    }

    @Test(
        "Neither the order of deliveries nor their repetition changes what is held",
        arguments: 0..<150 as Range<UInt64>
    )
    func anyOrder(seed: UInt64) {
        let deliveries = deliveries(seed)
        var random = SeededGenerator(seed: seed &+ 7)
        let once = held(deliveries)
        for _ in 0..<4 {
            let again = held((deliveries + deliveries.prefix(5)).shuffled(using: &random))
            #expect(sorted(again) == sorted(once))
            #expect(Set(again.marks.map(\.told.asOf)) == Set(once.marks.map(\.told.asOf)))
        }
    }

    @Test("What a client sent is never held over what Apple said, however new it is")
    func clientsAnswers() throws {
        var refunded = bought(refunded: -3, called: "1")
        refunded.signedDate = day(-3)
        let apple = lesson(history([entry()], [refunded], asOf: day(-3), coverage: .partial))
        let client = lesson(history([entry(renews: false)], [bought(called: "1")], asOf: clock), .client)
        for order in [[apple, client], [client, apple]] {
            let subscription = try #require(held(order).subscriptions.first)
            #expect(subscription.transactions["1"]?.value.revocationDate == day(-3))
            #expect(subscription.transactions["1"]?.source == .signed)
        }
    }

    @Test("The refund of an older purchase leaves the newest one as it is")
    func olderRefund() throws {
        var january = bought(on: -40, until: -10, refunded: -1, called: "1")
        var february = bought(on: -10, until: 20, called: "2")
        january.signedDate = day(-1)
        february.signedDate = day(-10)
        let state = held([
            lesson(history([entry()], [february], asOf: day(-10), coverage: .partial)),
            lesson(history([entry()], [january], asOf: day(-1), coverage: .partial), for: .alice),
        ])
        let history = try #require(SubscriptionHistory(held: state, of: exampleApp(), for: Account.alice.view))
        guard case .subscriber(let subscription) = history.status(inGroup: "pro", of: exampleApp(), at: clock) else {
            Issue.record("no subscriber")
            return
        }
        #expect(subscription.state == .active)
    }

    @Test("The last purchases are held, and the last accounts that presented them; the buyer always")
    func bounds() throws {
        var lessons: [StateLesson] = []
        for number in 0..<50 {
            lessons.append(
                lesson(
                    history([entry()], [bought(on: Double(number) - 60, until: Double(number), called: "\(number)")]),
                    .fetched,
                    for: .applicationUsername("stranger \(number)"),
                    at: day(Double(number) - 100)
                )
            )
        }
        lessons.append(lesson(history([entry()], [bought(by: Account.alice.payloadField, called: "own")]), .fetched))
        let subscription = try #require(held(lessons.shuffled()).subscriptions.first)
        #expect(subscription.transactions.count == HeldSubscription.mostTransactions)
        #expect(subscription.transactions["49"] != nil)
        #expect(subscription.transactions["3"] == nil)
        #expect(subscription.accounts.count == HeldSubscription.mostPresenters + 1)
        let alice = try #require(Account.alice.view.digest)
        #expect(subscription.accounts[alice] == .bought)
    }

    @Test("However many accounts the evidence names, few are held, in whatever order: who bought what is held always")
    func owners() throws {
        let transactions = (0..<200).map { number in
            bought(
                on: Double(number) - 300,
                until: Double(number) - 270,
                by: "00000000-0000-4000-8000-\(100_000_000_000 + number * 7919 % 1000)",
                called: "\(number)"
            )
        }
        let lessons = transactions.map { lesson(history([entry()], [$0]), .fetched) }
        let subscription = try #require(held(lessons).subscriptions.first)
        #expect(subscription.accounts.count <= HeldSubscription.mostTransactions + 8)
        #expect(subscription.transactions["199"] != nil)
        for transaction in subscription.transactions.values.map(\.value) {
            let owner = try #require(
                subscription.accounts.keys.first { $0.pseudonym == transaction.appAccountToken }
            )
            // Whoever is forgotten takes along what was bought for the account.
            #expect(subscription.accounts[owner] == .bought)
            #expect(subscription.forgetting(owner) == nil)
        }
        #expect(held([lesson(history([entry()], transactions), .fetched)]).subscriptions == [subscription])
        for _ in 0..<20 {
            let shuffled = lessons.shuffled()
            #expect(held(shuffled).subscriptions == [subscription])
            let halves = [shuffled.prefix(90), shuffled.dropFirst(70)].flatMap { held(Array($0)).subscriptions }
            #expect(held([StateLesson(subscriptions: halves)]).subscriptions == [subscription])
        }
    }

    @Test("No account's token is held, only what stands for it")
    func pseudonyms() throws {
        let state = held([lesson(history([entry()], [bought(by: Account.alice.payloadField)]), for: .alice)])
        #expect(!"\(state)".contains(Account.alice.payloadField))
    }

    @Test("An offer that covers three renewals is one redemption, and the next run another")
    func redemptions() throws {
        let offers: [RedeemedOffer?] = [
            nil, .promotional("a"), .promotional("a"), nil, .promotional("a"), .introductory,
        ]
        let transactions = offers.enumerated().map { index, offer in
            bought(on: Double(index) * 30 - 200, until: Double(index) * 30 - 170, under: offer, called: "\(index)")
        }
        let lessons = transactions.shuffled().map { lesson(history([entry()], [$0]), .fetched) }
        let subscription = try #require(held(lessons).subscriptions.first)
        #expect(subscription.redemptions.map(\.transactionId) == ["1", "4"])
        #expect(subscription.redemptions.map(\.offerId) == ["a", "a"])
    }

    @Test("What was redeemed years and hundreds of renewals ago stays on record, and each run is one redemption")
    func redeemedLongAgo() throws {
        var subscription: HeldSubscription?
        for index in 0..<300 {
            let isUnderOffer = [5..<8, 40..<90, 100..<140].contains { $0.contains(index) }
            let offer: RedeemedOffer? = isUnderOffer ? .promotional("a") : nil
            // Before the last of these runs nobody paid for ten weeks, and it is broken by as long a time.
            let pause = index < 100 ? 0.0 : index < 120 ? 70 : 140
            let transaction = bought(
                on: Double(index) * 7 - 3000 + pause,
                until: Double(index) * 7 - 2993 + pause,
                under: offer,
                called: "\(index)"
            )
            let learnt = try #require(lesson(history([entry()], [transaction]), .fetched).subscriptions.first)
            if subscription == nil { subscription = learnt }
            subscription?.merge(learnt)
        }
        let held = try #require(subscription)
        #expect(held.redemptions.map(\.transactionId) == ["5", "40", "100", "120"])
        #expect(held.transactions.count == HeldSubscription.mostTransactions + 11)
    }

    @Test("What was bought under the offer again after a refund stays a redemption, however long ago that was")
    func redeemedAfterRefund() throws {
        var subscription: HeldSubscription?
        for index in 0..<200 {
            let start = Double(index) * 7 - 2000
            let transaction = bought(
                on: start,
                until: start + 7,
                refunded: [22, 29].contains(index) ? start + 3 : nil,
                under: index >= 20 && index < 40 ? .promotional("a") : nil,
                called: "\(index)"
            )
            let learnt = try #require(lesson(history([entry()], [transaction]), .fetched).subscriptions.first)
            if subscription == nil { subscription = learnt }
            subscription?.merge(learnt)
        }
        let held = try #require(subscription)
        #expect(held.redemptions.map(\.transactionId) == ["20", "23", "30"])
    }

    @Test("The reason of a transaction that one copy tells stays, whichever copy is the newer")
    func reasons() throws {
        var told = bought(under: .promotional("a"), called: "1")
        let plain = history([entry()], [told], asOf: day(1))
        told.reason = .purchase
        for lessons in [[history([entry()], [told]), plain], [plain, history([entry()], [told])]] {
            let subscription = try #require(held(lessons.map { lesson($0, .fetched) }).subscriptions.first)
            #expect(subscription.transactions["1"]?.value.reason == .purchase)
        }
    }
}
