import Testing

@testable import Offers

@Suite("One subscription under several identifiers")
struct SubscriptionIdsTests {
    private func after(_ id: String?, _ transaction: Transaction) -> Transaction {
        var transaction = transaction
        transaction.previousOriginalTransactionId = id
        return transaction
    }

    private func item(_ id: String, _ transaction: Transaction) -> Transaction {
        var transaction = transaction
        transaction.webOrderLineItemId = id
        return transaction
    }

    /// Lapsed under the first identifier, and active under a second one.
    private var moved: Shown {
        history(
            [entry("1", ended: true), entry("2", renews: false)],
            [
                bought("1", on: -90, until: -60, under: .promotional("once"), called: "10"),
                after("1", bought("2", called: "20")),
            ]
        )
    }

    @Test("The first identifier stands for all, and the newest state counts")
    func newest() {
        let joined = moved.customer
        #expect(Set(joined.chapters.flatMap(\.transactions).map(\.content.originalTransactionId)) == ["1"])
        #expect(joined.chapters.map(\.renewal?.content?.originalTransactionId) == ["1"])
        #expect(joined.otherIds(of: "1") == ["2"])
        #expect(decide(moved, "stay") == .activeAutoRenewOff)
        #expect(decide(moved, "comeback") == .stateNotInAudience)
        #expect(joined.names("2") && joined.names("20") && !joined.names("3"))
    }

    @Test("A redemption under one identifier counts under all")
    func redemptions() {
        #expect(decide(moved, "once") == .redemptionLimit)
    }

    @Test("An entry of an earlier identifier says nothing of the purchase that came after it")
    func formerEntry() {
        var history = moved
        history.renewals = [entry("1", retrying: true)]
        #expect(decide(history, "stay") == .stateNotInAudience)
        #expect(decide(history, "anyone") == .active)
        // The one before had been cancelled.
        history.renewals = [entry("1", renews: false)]
        #expect(decide(history, "stay") == .stateNotInAudience)
        #expect(decide(history, "anyone") == .active)
    }

    @Test("Steps that lead in a circle end", arguments: [["1", "2"], ["1", "1"], ["2", "3", "1"]])
    func circles(ids: [String]) {
        let transactions = ids.enumerated().map { index, id in
            after(ids[(index + 1) % ids.count], bought(id, called: "\(index)"))
        }
        let joined = history(ids.map { entry($0) }, transactions).customer
        #expect(Set(joined.chapters.flatMap(\.transactions).map(\.content.originalTransactionId)).count == 1)
        #expect(decide(history(ids.map { entry($0) }, transactions), "anyone") == .active)
    }

    @Test("A copy of a purchase under another original identifier is the same purchase, once redeemed and one trial")
    func restored() {
        let first = item("31", bought("1", on: -90, until: -60, under: .promotional("twice"), called: "10"))
        let other = item("31", bought("7", on: -90, until: -60, under: .promotional("twice"), called: "70"))
        let same = item("31", bought("1", on: -90, until: -60, under: .promotional("twice"), called: "11"))
        for copies in [[first, other], [other, first], [first, same], [same, other, first]] {
            #expect(decide(history([entry("1", ended: true)], copies), "twice") == .lapsed)
            #expect(decide(history([entry("1", ended: true)], copies), "once") == .lapsed)
        }
        let again = item("32", bought("1", on: -50, until: -20, under: .promotional("twice"), called: "12"))
        #expect(decide(history([entry("1", ended: true)], [first, other, again]), "twice") == .redemptionLimit)
    }

    @Test("Copies are known by Apple's number of the purchase alone, and by subscription, product and dates alone")
    func signs() {
        func redeemed(_ id: String, on date: Double = -90, product: String = "pro.monthly") -> Transaction {
            bought("1", product, on: date, until: -60, under: .promotional("twice"), called: id, because: .purchase)
        }
        func decide(_ copies: [Transaction]) -> Set<Reason> {
            Set(
                [copies, copies.reversed()].map { OffersTests.decide(history([entry("1", ended: true)], $0), "twice") }
            )
        }
        #expect(decide([item("31", redeemed("10")), item("31", redeemed("11", on: -89))]) == [.lapsed])
        #expect(decide([redeemed("10"), redeemed("11")]) == [.lapsed])
        #expect(decide([redeemed("10"), redeemed("11", on: -89)]) == [.redemptionLimit])
        #expect(decide([redeemed("10"), redeemed("11", product: "pro.yearly")]) == [.redemptionLimit])
    }

    @Test("A copy without the offer or the refund takes neither from the purchase")
    func poorerCopies() {
        let first = item(
            "31",
            bought("1", on: -90, until: -60, refunded: -70, under: .promotional("once"), called: "10")
        )
        let poor = item("31", bought("7", on: -90, until: -60, called: "70"))
        #expect(decide(history([entry("1", ended: true)], [first, poor]), "once") == .refunded)
        let kept = item("31", bought("1", on: -90, until: -60, under: .promotional("once"), called: "10"))
        #expect(decide(history([entry("1", ended: true)], [poor, kept]), "once") == .redemptionLimit)
    }

    @Test("Added seats are one redemption with the purchase of their period")
    func addedSeats() {
        let first = bought(on: -10, until: 20, under: .promotional("twice"), called: "10")
        var seats = bought(on: -3, until: 20, under: .promotional("twice"), called: "11", because: .purchase)
        seats.isAddition = true
        #expect(decide(history([entry()], [first, seats]), "twice") == .active)
        seats.isAddition = false
        #expect(decide(history([entry()], [first, seats]), "twice") == .redemptionLimit)
    }

    @Test("A refund of added seats takes nothing from the purchase: its renewal at the offer is the same redemption")
    func refundedSeats() {
        let first = bought(on: -40, until: -10, under: .promotional("twice"), called: "10")
        var seats = bought(on: -33, until: -10, refunded: -20, under: .promotional("twice"), called: "11")
        seats.isAddition = true
        let renewal = bought(on: -10, under: .promotional("twice"), called: "12")
        #expect(decide(history([entry()], [first, seats, renewal]), "twice") == .active)
        #expect(decide(history([entry()], [renewal, seats, first]), "twice") == .active)
    }

    @Test("A bundle that runs in the subscription's place leaves it unknown; one that is over does not")
    func bundles() {
        func bundle(until end: Double) -> Transaction {
            var transaction = after("1", bought("5", "all.in.one", on: -3, until: end, called: "50"))
            transaction.kind = .bundle
            return transaction
        }
        let lapsed = [bought("1", on: -90, until: -60, called: "10")]
        #expect(decide(history([entry("1", ended: true)], lapsed + [bundle(until: 27)]), "comeback") == .noEvidence)
        #expect(decide(history([entry("1", ended: true)], lapsed + [bundle(until: -1)]), "comeback") == .lapsed)
    }
}
