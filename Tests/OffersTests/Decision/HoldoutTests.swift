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
        let active = history([entry()], [bought()])
        let draw = NamedDraw(["4711"])
        let refused = decide(active, for: .applicationUsername("4711"), by: draw)
        #expect(refused.reason == .heldOut && refused.verdict == .ineligible)
        let finding = try #require(refused.explanation?.last)
        #expect(finding.rule == "holdout" && finding.verdict == .ineligible)
        #expect(
            refused.detail
                == "10 % of the customers are held out of spring26, for comparison; the customer is one of them."
        )
        let other = decide(active, for: .applicationUsername("4712"), by: draw)
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

    @Test("The customer is the account, its part before the separator, or the subscription; the name is the offer's id")
    func customers() {
        let draw = NamedDraw([])
        let active = history([entry()], [bought()])
        func asked(_ account: Account, _ id: String = "tested") -> String? {
            _ = decide(active, for: account, by: draw, OfferRequest(productId: "pro.monthly", offerId: id))
            return draw.asked.withLock { $0.last }
        }
        #expect(asked(.applicationUsername("4711-order-8")) == "spring26: 4711")
        #expect(asked(.alice) == "spring26: \(Account.alice.payloadField)")
        #expect(asked(.none) == "spring26: subscription 1")
        #expect(asked(.applicationUsername("4711-order-9"), "unnamed") == "unnamed: 4711")
    }

    @Test("A rule for customers who are about to cancel is passed over if its offer is held out, by the known account")
    func retention() throws {
        let message = RetentionMessage(name: "stay", standard: "stay-default")
        let rules = [
            RetentionRule(proposal: .offer(id: "tested", productId: nil), message: message),
            RetentionRule(proposal: .offer(id: "anyone", productId: nil), message: message),
        ]
        let identity = OffersTests.identity("1")
        let account = AccountDigest(Array("4711".utf8))
        // With a separator the account may be a part of a name, and is not known.
        let cases: [(CustomerSeparator?, String)] = [(nil, "4711"), (CustomerSeparator("-"), "subscription 1")]
        for (separator, drawn) in cases {
            let app = App(
                bundleId: Self.app.bundleId,
                customerSeparator: separator,
                subscriptionGroups: Self.app.subscriptionGroups
            )
            let held = Chapter(
                identity,
                transactions: [Statement(bought(called: "1"), asOf: day(-0.5), by: .signature)],
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
