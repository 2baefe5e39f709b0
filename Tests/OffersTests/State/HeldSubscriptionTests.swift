import Offers
import Testing

@Suite("Held state, with observations in any order")
struct HeldSubscriptionTests {
    @Test("A client's evidence never replaces Apple's own state, however new it is")
    func clientsAnswers() throws {
        let refunded = bought(refunded: -3, called: "1")
        let apple = observation(history([], [refunded], asOf: day(-3), coverage: .partial))
        let words = bought(under: .promotional("once"), called: "1")
        let client = shown(history([entry(renews: false)], [words], asOf: clock))
        for order in [[apple, client], [client, apple]] {
            let subscription = try #require(held(order).chapters.first)
            #expect(subscription["1"]?.revocationDate == day(-3))
            #expect(subscription.redemptions.isEmpty)
            #expect(subscription.renewal == nil)
        }
    }

    @Test("Of accounts that present evidence without a name eight stay, and a ninth only after thirty days")
    func presenters() throws {
        let evidence = signed(bought(called: "1"), entry(), on: -1)
        func presented(_ number: Int, at moment: Timestamp) -> Book {
            observation(evidence, for: .applicationUsername("reader \(number)"), at: moment)
        }
        func accounts(_ observations: [Book]) throws -> Set<AccountDigest> {
            Set(try #require(held(observations).chapters.first).accounts.keys)
        }
        let first = (0..<8).map { presented($0, at: day(Double($0) / 100)) }
        let eight = try accounts(first)
        #expect(eight.count == 8)
        #expect(try accounts(first + (8..<10_000).map { presented($0, at: day(29)) }) == eight)
        let later = try accounts(first + [presented(8, at: day(30.001))])
        #expect(later.count == 8)
        #expect(later.subtracting(eight).count == 1)
        // Whoever comes again keeps the place.
        #expect(try accounts(first + (0..<8).map { presented($0, at: day(20)) } + [presented(8, at: day(45))]) == eight)
        // Nothing is written for who has no place.
        let state = held(first)
        #expect(!presented(9, at: day(10)).isNews(beside: state))
        #expect(!presented(3, at: day(0.9)).isNews(beside: state))
        #expect(presented(3, at: day(1.1)).isNews(beside: state))
        #expect(presented(9, at: day(31)).isNews(beside: state))
    }

    @Test("Of evidence less than an hour after the last only new facts are learnt")
    func news() {
        func seen(_ seconds: Int64, refunded: Double? = nil, renews: Bool = true) -> Book {
            let moment = day(-1).adding(seconds: seconds)
            let transaction = bought(refunded: refunded, by: Account.alice.payloadField, called: "1")
            let shown = history([entry(renews: renews)], [transaction], asOf: moment, coverage: .partial)
            return observation(shown, for: .alice)
        }
        let state = held([seen(0)])
        #expect(!seen(0).isNews(beside: state))
        #expect(!seen(-7200, refunded: -2).isNews(beside: state))
        #expect(!seen(3600).isNews(beside: state))
        #expect(seen(3601).isNews(beside: state))
        #expect(seen(1, refunded: -2).isNews(beside: state))
        #expect(seen(1, renews: false).isNews(beside: state))
        #expect(seen(0).isNews(beside: Book()))
        let whole = observation(history([], [], asOf: day(-1)), for: .alice)
        #expect(whole.isNews(beside: Book()))
        #expect(!whole.isNews(beside: held([whole])))
        #expect(!observation(history([], [], asOf: day(-2)), for: .alice).isNews(beside: held([whole])))
        // A redemption that a client shows again.
        let redeemed = shown(history([entry()], [bought(under: .promotional("once"), called: "1")]), for: .alice)
        #expect(redeemed.isNews(beside: Book()))
        #expect(!redeemed.isNews(beside: held([redeemed])))
    }

    @Test("A mark counts only where the account has its place in all subscriptions that it is of")
    func marks() {
        let evidence = history([entry()], [bought(called: "1")])
        let all = (0..<9).map { observation(evidence, for: .applicationUsername("reader \($0)")) }
        let state = held(all)
        func counts(_ observation: Book) -> Bool {
            observation.mark { identity in state.chapters.first { $0.identity == identity } } != nil
        }
        #expect(all.map(counts) == Array(repeating: true, count: 8) + [false])
        #expect(all[8].isNews(beside: held(Array(all.prefix(8)))) == false)
    }

    @Test("The refund of an older purchase leaves the newest one as it is")
    func olderRefund() {
        let february = observation(signed(bought(called: "2"), entry(), on: -0.9))
        let january = signed(bought(on: -40, until: -10, refunded: -0.5, called: "1"), entry(), on: -0.5)
        #expect(decide(alone([february, observation(january, for: .alice)])) == .active)
    }

    @Test("The last purchases are held, and the last accounts that presented them; the buyer always")
    func bounds() throws {
        var observations: [Book] = []
        for number in 0..<50 {
            observations.append(
                observation(
                    history([entry()], [bought(on: Double(number) - 60, until: Double(number), called: "\(number)")]),
                    for: .applicationUsername("stranger \(number)"),
                    at: day(Double(number) - 100)
                )
            )
        }
        observations.append(observation(history([entry()], [bought(by: Account.alice.payloadField, called: "own")])))
        let subscription = try #require(held(observations.shuffled()).chapters.first)
        #expect(subscription.transactions.count == Chapter.mostTransactions)
        #expect(subscription["49"] != nil)
        #expect(subscription["3"] == nil)
        #expect(subscription.accounts.count == Chapter.mostPresenters + 1)
        let alice = try #require(Account.alice.view.digest)
        #expect(subscription.accounts[alice] == .bought)
    }

    @Test(
        "Of any number of accounts in the evidence few are held, in any order, and the buyer of a held purchase always"
    )
    func owners() throws {
        let transactions = (0..<200).map { number in
            bought(
                on: Double(number) - 300,
                until: Double(number) - 270,
                by: "00000000-0000-4000-8000-\(100_000_000_000 + number * 7919 % 1000)",
                called: "\(number)"
            )
        }
        let observations = transactions.map { observation(history([entry()], [$0])) }
        let subscription = try #require(held(observations).chapters.first)
        #expect(subscription.accounts.count <= Chapter.mostTransactions + 8)
        #expect(subscription["199"] != nil)
        for transaction in subscription.transactions.map(\.content) {
            let owner = try #require(subscription.accounts.keys.first { $0.pseudonym == transaction.appAccountToken })
            // Whoever is forgotten takes along what was bought for the account.
            #expect(subscription.accounts[owner] == .bought)
            #expect(subscription.forgetting(owner) == nil)
        }
        #expect(held([observation(history([entry()], transactions))]).chapters == [subscription])
        for _ in 0..<20 {
            let shuffled = observations.shuffled()
            #expect(held(shuffled).chapters == [subscription])
            let halves = [shuffled.prefix(90), shuffled.dropFirst(70)].flatMap { held(Array($0)).chapters }
            #expect(held([Book(chapters: halves)]).chapters == [subscription])
        }
    }

    @Test("No account's token is held, only its digest")
    func pseudonyms() throws {
        let state = held([observation(history([entry()], [bought(by: Account.alice.payloadField)]), for: .alice)])
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
        let observations = transactions.shuffled().map { observation(history([entry()], [$0])) }
        let subscription = try #require(held(observations).chapters.first)
        #expect(subscription.redemptions.map(\.transactionId) == ["1", "4"])
        #expect(subscription.redemptions.map(\.offerId) == ["a", "a"])
    }

    /// A subscription that is paid week by week, each learnt by itself.
    private func weeks(
        _ count: Int,
        _ week: (Int) -> (pause: Double, isUnderOffer: Bool, isRefunded: Bool)
    ) throws -> Chapter {
        let learnt = (0..<count).map { index in
            let (pause, isUnderOffer, isRefunded) = week(index)
            let start = Double(index) * 7 - 3000 + pause
            let transaction = bought(
                on: start,
                until: start + 7,
                refunded: isRefunded ? start + 3 : nil,
                under: isUnderOffer ? .promotional("a") : nil,
                called: "\(index)"
            )
            return observation(history([entry()], [transaction]))
        }
        return try #require(held(learnt).chapters.first)
    }

    @Test("A redemption from years and hundreds of renewals ago stays on record, and each run is one redemption")
    func redeemedLongAgo() throws {
        let held = try weeks(300) { index in
            // Before the last of these runs nobody paid for ten weeks, and it is broken by as long a time.
            let pause = index < 100 ? 0.0 : index < 120 ? 70 : 140
            return (pause, [5..<8, 40..<90, 100..<140].contains { $0.contains(index) }, false)
        }
        #expect(held.redemptions.map(\.transactionId) == ["5", "40", "100", "120"])
        #expect(held.transactions.count == Chapter.mostTransactions + 11)
    }

    @Test("A second purchase under the offer after a refund stays a redemption, at any age")
    func redeemedAfterRefund() throws {
        let held = try weeks(200) { (0, (20..<40).contains($0), [22, 29].contains($0)) }
        #expect(held.redemptions.map(\.transactionId) == ["20", "23", "30"])
    }

    @Test("The reason of a transaction that one copy has stays, whichever copy is the newer")
    func reasons() throws {
        var detailed = bought(under: .promotional("a"), called: "1")
        let plain = history([entry()], [detailed], asOf: day(1))
        detailed.reason = .purchase
        for observations in [[history([entry()], [detailed]), plain], [plain, history([entry()], [detailed])]] {
            let subscription = try #require(held(observations.map { observation($0) }).chapters.first)
            #expect(subscription["1"]?.reason == .purchase)
        }
    }
}
