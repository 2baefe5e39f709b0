import Testing

@testable import Offers

/// What must hold for every customer of the tables, and for customers put together at random.
@Suite("Properties of decisions")
struct CustomerPropertyTests {
    private func decide(_ row: Row, _ history: Shown?) -> Decision {
        var policy = examplePolicy(history, for: row.account)
        return policy.decide(OfferRequest(productId: row.product, offerId: row.offer), explaining: true)
    }

    private func introductory(_ row: Row, _ history: Shown?) -> IntroductoryDecision {
        OffersTests.introductory(history, for: row.account, product: row.product, explaining: true)
    }

    /// The tables' customers, and some 400 made of pieces of several of them.
    private static let customers: [Row] = {
        var generator = SeededGenerator(seed: 2026)
        let rows = CustomerTable.all
        let mixed: [Row] = (0..<400).compactMap { _ in
            guard let row = rows.randomElement(using: &generator), let other = rows.randomElement(using: &generator),
                var history = row.history, let more = other.history
            else { return nil }
            history.transactions += more.transactions
            if let renewals = history.renewals { history.renewals = renewals + (more.renewals ?? []) }
            return Row("\(row.why) + \(other.why)", row.expected, row.offer, product: row.product).when(history)
        }
        return rows + mixed
    }()

    @Test("The order of lists changes no word", arguments: customers)
    func shuffling(row: Row) {
        guard var history = row.history else { return }
        for _ in 0..<3 {
            history.transactions.shuffle()
            history.renewals?.shuffle()
            #expect(decide(row, history).reason == decide(row, row.history).reason)
            #expect(introductory(row, history).reason == introductory(row, row.history).reason)
        }
    }

    @Test("Of two copies of one transaction the one signed last counts, in whatever order they come")
    func copies() {
        let (early, late) = (signed(bought(until: -5), on: -9), signed(bought(until: -5), on: -1))
        for transactions in [early.transactions + late.transactions, late.transactions + early.transactions] {
            var history = late
            history.transactions = transactions
            #expect(decide(Row("", .lapsed, "comeback").when(history), history).reason == .lapsed)
        }
    }

    @Test("A consumable, a non-consumable and a non-renewing subscription change no word", arguments: customers)
    func consumables(row: Row) {
        guard var history = row.history else { return }
        var others = [
            bought("900", "coins", on: -1, until: nil), bought("901", "lifetime", on: -300, until: nil),
            bought("902", "season-pass", on: -3, until: nil, refunded: -2),
        ]
        // Signed data says what it is.
        if history.coverage == .partial { for index in others.indices { others[index].kind = .other } }
        history.transactions = [others[0]] + history.transactions + others.dropFirst()
        #expect(decide(row, history) == decide(row, row.history))
        #expect(introductory(row, history) == introductory(row, row.history))
    }

    @Test("No ownership but a purchase is signed by default", arguments: customers)
    func owners(row: Row) {
        guard var history = row.history else { return }
        var generator = SeededGenerator(seed: UInt64(history.transactions.count))
        let owners: [Ownership] = [
            .purchased, .familyShared, .assigned, .unknown("GIFTED"), .unknown(""), .unknown(nil),
        ]
        for _ in 0..<6 {
            for index in history.transactions.indices {
                history.transactions[index].ownership = owners.randomElement(using: &generator) ?? .assigned
            }
            var policy = examplePolicy(history, for: row.account)
            let request = OfferRequest(productId: row.product, offerId: row.offer)
            guard policy.decide(request).verdict == .eligible, let facts = policy.facts(of: request),
                facts.offer.terms.familyShared == .refuse, facts.offer.terms.assigned == .refuse,
                let transaction = facts.reading?.subscription?.transaction
            else { continue }
            #expect(transaction.ownership == .purchased)
        }
    }

    @Test("A running row of the group that was not refunded makes nobody eligible as lapsed", arguments: customers)
    func runningRow(row: Row) {
        guard var history = row.history, history.coverage == .complete else { return }
        for owner in [Ownership.purchased, .unknown("GIFTED"), .unknown(nil)] {
            history.transactions.append(bought("7777", owner: owner))
            let comeback = Row(row.why, row.expected, "comeback", account: row.account).when(history)
            #expect(decide(comeback, history).verdict != .eligible)
            history.transactions.removeLast()
        }
    }

    @Test("Without renewal information no customer is entitled to more", arguments: customers)
    func withoutRenewals(row: Row) {
        // A signed transaction alone stands for both.
        guard var history = row.history, history.coverage != .partial else { return }
        for renewals in [[], nil] as [[RenewalInfo]?] {
            history.renewals = renewals
            #expect(decide(row, history).verdict != .eligible)
        }
        history.renewals = nil
        #expect(introductory(row, history).verdict != .eligible)
    }

    @Test("Leaving transactions out of one entry never makes an introductory offer available")
    func withoutTransactions() {
        for row in Self.customers {
            guard var history = row.history, history.renewals?.isEmpty == false else { continue }
            history.transactions = []
            let decision = introductory(row, history)
            let groups = Set((history.renewals ?? []).compactMap(\.productId))
            if groups.contains(row.product) { #expect(decision.verdict != .eligible, "\(row.why) \(decision.detail)") }
        }
    }
}

/// A generator that gives the same sequence in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
