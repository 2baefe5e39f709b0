import Synchronization
import Testing

@testable import Offers

/// Holds out those whose customer is named.
private final class NamedDraw: HoldoutDraw {
    let heldOut: Set<String>
    /// The name of each draw, with the customer who was drawn.
    let asked = Mutex<[String]>([])

    init(_ heldOut: Set<String>) { self.heldOut = heldOut }

    func digest(ofCustomer customer: String?, originalTransactionId: String?, bundleId: String) -> AccountDigest {
        AccountDigest(Array((customer ?? originalTransactionId.map { "subscription \($0)" } ?? "").utf8))
    }

    func draw(_ name: String, of customer: AccountDigest) -> UInt64 {
        let customer = String(decoding: customer.bytes, as: UTF8.self)
        asked.withLock { $0.append("\(name): \(customer)") }
        return heldOut.contains(customer) ? 0 : .max
    }
}

@Suite("Customers who are held out of an offer")
struct HoldoutTests {
    private static let offer = OfferRequest(productId: "pro.monthly", offerId: "tested")

    private static let app = App(
        bundleId: "com.example.reader",
        customerSeparator: CustomerSeparator("-"),
        subscriptionGroups: [
            SubscriptionGroup(
                id: "pro",
                products: [
                    Product(
                        id: "pro.monthly",
                        offers: [
                            PromotionalOffer(id: "tested") {
                                $0.audience = [.active]
                                $0.holdout = Holdout(percent: 10, name: "spring26")
                            },
                            PromotionalOffer(id: "unnamed") { $0.holdout = Holdout(percent: 10) },
                            PromotionalOffer(id: "anyone"),
                        ]
                    )
                ]
            )
        ]
    )

    private func decide(
        _ history: Shown,
        for account: Account,
        by draw: NamedDraw,
        _ offer: OfferRequest = HoldoutTests.offer
    ) -> Decision {
        var policy = OfferPolicy(
            app: Self.app,
            customer: Customer(account: account, book: history.customer),
            now: clock,
            maximumEvidenceAgeSeconds: 86_400,
            drawingBy: draw
        )
        return policy.decide(offer, explaining: true)
    }

    @Test("Who would get the offer and is drawn is refused, by the last rule and in words")
    func heldOut() throws {
        let active = history([entry("1")], [bought("1")])
        let draw = NamedDraw(["subscription 1"])
        let refused = decide(active, for: .applicationUsername("4711"), by: draw)
        #expect(refused.reason == .heldOut && refused.verdict == .ineligible)
        let finding = try #require(refused.explanation?.last)
        #expect(finding.rule == "holdout" && finding.verdict == .ineligible)
        #expect(
            refused.detail
                == "10 % of the customers are held out of spring26, for comparison; the customer is one of them."
        )
        let other = decide(history([entry("2")], [bought("2")]), for: .applicationUsername("4711"), by: draw)
        #expect(other.reason == .active)
        #expect(other.explanation?.last?.saw.hasSuffix("the customer is none of them.") == true)
    }

    @Test("Another reason to refuse is given before it, and an offer without a holdout draws nobody")
    func order() {
        let draw = NamedDraw(["4711"])
        let lapsed = history([entry(ended: true)], [bought(until: -2)])
        #expect(decide(lapsed, for: .applicationUsername("4711"), by: draw).reason == .stateNotInAudience)
        let plain = OfferRequest(productId: "pro.monthly", offerId: "anyone")
        #expect(decide(lapsed, for: .applicationUsername("4711"), by: draw, plain).reason == .lapsed)
        #expect(draw.asked.withLock { $0 } == [])
    }

    @Test(
        "Of purchases that name no account the subscription is drawn, whoever asks; else the account; the name is the offer's id"
    )
    func customers() {
        let draw = NamedDraw([])
        func asked(_ account: Account, _ id: String = "tested", named: String? = nil) -> [String?] {
            let active = history([entry()], [bought(by: named)])
            let request = OfferRequest(productId: "pro.monthly", offerId: id)
            let customer = decide(active, for: account, by: draw, request).drawn?.customer.bytes
            return [draw.asked.withLock { $0.last }, customer.map { String(decoding: $0, as: UTF8.self) }]
        }
        let alice = Account.alice.payloadField
        #expect(asked(.applicationUsername("4711-order-8")) == ["spring26: subscription 1", "4711"])
        #expect(asked(.alice) == ["spring26: subscription 1", alice])
        #expect(asked(.none) == ["spring26: subscription 1", "subscription 1"])
        #expect(asked(.alice, named: alice) == ["spring26: \(alice)", alice])
        #expect(asked(.applicationUsername(alice), named: alice) == ["spring26: \(alice)", alice])
        #expect(asked(.applicationUsername("4711-order-9"), "unnamed") == ["unnamed: subscription 1", "4711"])
    }

    @Test("A rule for customers who are about to cancel is passed over if its offer is held out, by the known account")
    func retention() throws {
        let message = RetentionMessage(name: "stay", standard: "stay-default")
        let rules = [
            RetentionRule(proposal: .offer(id: "tested", productId: nil), message: message),
            RetentionRule(proposal: .offer(id: "anyone", productId: nil), message: message),
        ]
        let identity = OffersTests.identity("1")
        let account = AccountDigest(Array("the account 4711".utf8))
        // An account that only showed the purchase is not the one that it names.
        for (names, drawn) in [(account.pseudonym.lowercased, "the account 4711"), (nil, "subscription 1")] {
            let app = App(bundleId: Self.app.bundleId, subscriptionGroups: Self.app.subscriptionGroups)
            let held = Chapter(
                identity,
                transactions: [Statement(bought(by: names, called: "1"), asOf: day(-0.5), by: .signature)],
                renewal: Statement(entry(), asOf: day(-0.5), by: .signature),
                accounts: [account: .presented(at: day(-1))]
            )
            let customer = RetentionCustomer(identity, in: Book(chapters: [held]), of: app)
            for isHeldOut in [false, true] {
                let draw = NamedDraw(isHeldOut ? [drawn] : [])
                var policy = RetentionPolicy(
                    rules,
                    of: app,
                    productId: "pro.monthly",
                    locale: nil,
                    customer: customer,
                    now: clock,
                    maximumHeldAgeSeconds: 86_400,
                    drawingBy: draw
                )
                #expect(policy.choice()?.index == (isHeldOut ? 1 : 0))
                #expect(Set(draw.asked.withLock { $0 }) == ["spring26: \(drawn)"])
                #expect(policy.decided.first?.decision.reason == (isHeldOut ? .heldOut : .active))
            }
        }
    }
}
