import Testing

@testable import Offers

@Suite("Counting redemptions of all offers at once")
struct RedemptionTallyTests {
    private static let offers = ["once", "twice", "gone", "other"]
    static let groups = ["pro", "news", "stated", "nowhere"]

    @Test("A copy of a purchase under other identifiers of the account is the same redemption")
    func copiesElsewhere() {
        var purchase = bought(on: -90, until: -60, under: .promotional("twice"), called: "10")
        purchase.webOrderLineItemId = "31"
        func count(_ items: String?...) -> Int {
            var history = history([entry(ended: true)], [purchase])
            history.otherRedemptions = items.enumerated().map { number, item in
                OfferRedemption(
                    originalTransactionId: "7\(number)",
                    transactionId: "7\(number)",
                    productId: "pro.monthly",
                    subscriptionGroupIdentifier: "pro",
                    offerId: "twice",
                    purchaseDate: day(-90),
                    price: nil,
                    storefront: nil,
                    webOrderLineItemId: item
                )
            }
            return RedemptionTally(history, of: exampleApp()).redemptions(ofOffer: "twice", inGroup: "pro")
        }
        #expect(count("31", "31") == 1)
        #expect(count("32", "32") == 2)
        // Which purchases these are, nobody said.
        #expect(count(nil, nil) == 3)
    }

    /// A history in which nearly everything happens: few dates, few names, and many transactions under offers.
    static func generated(seed: UInt64) -> SubscriptionHistory {
        var generator = SeededGenerator(seed: seed)
        func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &generator)]
        }
        let ids = ["1", "2", "3"]
        let products = ["pro.monthly", "pro.yearly", "news.monthly", "unknown"]
        let named = offers.map { RedeemedOffer.promotional($0) }
        func transaction() -> Transaction {
            Transaction(
                originalTransactionId: pick(ids),
                productId: pick(products),
                subscriptionGroupIdentifier: pick([nil, "pro", "stated"]),
                purchaseDate: pick([nil] + (1...12).map { day(-Double($0)) }),
                expiresDate: pick([nil, day(-1), day(1)] + (2...11).map { day(-Double($0)) }),
                revocationDate: pick([nil, nil, nil] + (1...11).map { day(-Double($0)) }),
                isUpgraded: pick([false, false, true]),
                ownership: pick([.purchased, .purchased, .familyShared, .assigned, .unknown(nil)]),
                offer: pick([nil, nil, .introductory, .offerCode("once")] + named),
                transactionId: pick([nil] + (10..<60).map(String.init)),
                reason: pick([nil, nil, nil, .purchase, .renewal])
            )
        }
        let renewals = (0..<pick([0, 2, Holdings.few + 4])).map { _ in
            RenewalInfo(
                originalTransactionId: pick([nil, "4"] + ids),
                productId: pick([nil] + products),
                subscriptionGroupIdentifier: pick([nil, nil, "stated"]),
                offer: pick([nil, nil] + offers).map(RedeemedOffer.promotional)
            )
        }
        var history = SubscriptionHistory(
            bundleId: "com.example.reader",
            environment: .production,
            asOf: clock,
            renewals: pick([nil, renewals, renewals]),
            transactions: (0..<Int.random(in: 0...60, using: &generator)).map { _ in transaction() }
        )
        history.recordedTransactions = (0..<pick([0, 0, 8])).map { _ in transaction() }
        history.otherRedemptions = (0..<pick([0, 0, 3])).map { _ in
            OfferRedemption(
                originalTransactionId: "9",
                transactionId: nil,
                productId: pick(products),
                subscriptionGroupIdentifier: pick([nil, "stated"]),
                offerId: pick(offers),
                purchaseDate: nil,
                price: nil,
                storefront: nil,
                webOrderLineItemId: nil
            )
        }
        return history
    }

    @Test("agrees with counting each offer by itself", arguments: UInt64(0)..<200)
    func agrees(seed: UInt64) {
        let history = Self.generated(seed: seed)
        let app = exampleApp()
        let tally = RedemptionTally(history, of: app)
        for group in Self.groups {
            for offer in Self.offers + ["never"] {
                let expected = Self.redemptions(ofOffer: offer, inGroup: group, in: history, of: app)
                #expect(tally.redemptions(ofOffer: offer, inGroup: group) == expected, "\(offer) in \(group)")
            }
        }
    }

    /// The plain way: everything is looked through for one offer of one group.
    private static func redemptions(
        ofOffer offerId: String,
        inGroup groupId: String,
        in history: SubscriptionHistory,
        of app: App
    ) -> Int {
        let offer = RedeemedOffer.promotional(offerId)
        var count = history.otherRedemptions.count { redemption in
            let group = app.product(redemption.productId)?.group.id ?? redemption.subscriptionGroupIdentifier
            return redemption.offerId == offerId && group == groupId
        }
        // Copies are joined one by one: each belongs to the first purchase that it is a copy of.
        var purchases: [[Transaction]] = []
        let all = (history.transactions + history.recordedTransactions).filter { $0.ownership == .purchased }
        for transaction in all.sorted(by: Transaction.isOlder) {
            let place = purchases.firstIndex { copies in copies.contains { transaction.isSamePurchase(as: $0) } }
            if let place { purchases[place].append(transaction) } else { purchases.append([transaction]) }
        }
        let bought = purchases.map { copies in
            var first = copies[0]
            first.offer = copies.lazy.compactMap(\.offer).first { $0.catalogId != nil } ?? first.offer
            first.reason = copies.lazy.compactMap(\.reason).first
            first.revocationDate = copies.lazy.compactMap(\.revocationDate).first
            return first
        }.filter { history.groupIdentifier(of: $0, in: app) == groupId }
        var lastBought: [String: Transaction] = [:]
        for transaction in bought {
            let last = lastBought.updateValue(transaction, forKey: transaction.originalTransactionId)
            if transaction.offer == offer, last?.offer != offer || isAnew(transaction, after: last) { count += 1 }
        }
        for holding in Holdings(history, of: app).all where holding.group == groupId {
            guard let renewal = holding.entry.flatMap({ history.renewals?[$0] }), renewal.offer?.catalogId == offerId,
                holding.newest.map({ history.transactions[$0].ownership == .purchased }) ?? true
            else { continue }
            let last = renewal.originalTransactionId.flatMap { lastBought[$0] }
            if last?.offer != offer { count += 1 }
        }
        return count
    }

    private static func isAnew(_ transaction: Transaction, after last: Transaction?) -> Bool {
        guard let last, !transaction.isSamePurchase(as: last) else { return false }
        guard transaction.reason == nil else { return transaction.reason == .purchase }
        guard let start = transaction.purchaseDate else { return false }
        if let refund = last.revocationDate, !last.isUpgraded, start > refund { return true }
        guard let end = last.expiresDate else { return false }
        let paid = last.purchaseDate.map { (end.millisecondsSince1970 - $0.millisecondsSince1970) / 1000 } ?? .max
        return start > end.adding(seconds: min(3 * 86_400, max(paid / 8, 0)))
    }

    @Test("is done when an offer first asks, and once for all offers of a request, also after the ledger has spoken")
    func once() throws {
        let used: [Transaction] = (1...50).map { number -> Transaction in
            let offer: RedeemedOffer? = number % 2 == 0 ? .promotional("once") : nil
            return bought(on: -Double(number) - 1, until: -Double(number), under: offer)
        }
        var policy = examplePolicy(history([entry()], used), for: .alice, maximumAge: 0)
        func facts(_ offer: String) -> OfferFacts? {
            policy.facts(of: OfferRequest(productId: "pro.monthly", offerId: offer))
        }
        func decide(_ offer: String) -> Reason {
            policy.decide(OfferRequest(productId: "pro.monthly", offerId: offer)).reason
        }
        #expect(decide("anyone") == .lapsed)
        #expect(facts("anyone")?.request.countedRedemptions == nil, "nothing is counted where no offer asks")
        #expect(decide("once") == .redemptionLimit)
        let tally = try #require(facts("once")?.request.countedRedemptions)
        #expect(decide("twice") == .lapsed)
        #expect(decide("whole-app-once") == .lapsed)
        #expect(facts("twice")?.request.redemptions === tally)
        policy.consider(LedgerAnswer())
        #expect(decide("once") == .redemptionLimit)
        #expect(facts("once")?.request.redemptions === tally)
    }
}
