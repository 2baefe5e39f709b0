import Offers
import Testing

@Suite("Rules for customers who are about to cancel")
struct RetentionPolicyTests {
    private static let stay = RetentionMessage(
        name: "stay",
        standard: "stay-default",
        byLocale: ["de": "stay-de", "pt-BR": "stay-brazil", "zh-Hant": "stay-traditional"]
    )
    private static let plain = RetentionMessage(name: "plain", standard: "plain-default")

    @Test(
        "A message goes by the locale, then its beginnings, then default; case does not count",
        arguments: [
            ("de", "stay-de"), ("de-AT", "stay-de"), ("DE-at", "stay-de"), ("de_DE", "stay-de"),
            ("den", "stay-default"),
            ("pt-BR", "stay-brazil"), ("pt-PT", "stay-default"), ("pt", "stay-default"),
            ("zh-Hant-HK", "stay-traditional"), ("zh-Hans", "stay-default"), ("", "stay-default"),
            ("-", "stay-default"),
        ]
    )
    func locales(_ locale: String, _ identifier: String) {
        #expect(Self.stay.identifier(for: locale).identifier == identifier)
        #expect(Self.stay.identifier(for: nil).identifier == "stay-default")
    }

    /// What is remembered of a subscription, of an app whose offers are those of all tests.
    private func customer(
        _ transactions: [Transaction] = [bought(called: "1")],
        _ renewal: RenewalInfo? = entry(),
        asOf: Double = -1,
        accounts: [AccountDigest: AccountTie] = [:],
        otherRedemptions: Chapter? = nil
    ) -> RetentionCustomer {
        let identity = OffersTests.identity("1")
        let held = Chapter(
            identity,
            transactions: transactions.map { Statement($0, asOf: day(asOf), by: .signature) },
            renewal: renewal.map { Statement($0, asOf: day(asOf), by: .signature) },
            accounts: accounts
        )
        let state = Book(chapters: transactions.isEmpty ? [] : [held])
        let customer = RetentionCustomer(identity, in: state, of: exampleApp())
        return otherRedemptions.map { customer.redeeming(by: Book(chapters: [$0]), beside: identity) }
            ?? customer
    }

    private func policy(
        _ rules: [RetentionRule],
        _ customer: RetentionCustomer,
        product: String = "pro.monthly",
        signsOffers: Bool = true
    ) -> RetentionPolicy {
        RetentionPolicy(
            rules,
            of: exampleApp(),
            productId: product,
            locale: "de-AT",
            customer: customer,
            now: clock,
            maximumHeldAgeSeconds: 86_400,
            signsOffers: signsOffers
        )
    }

    private func offered(_ id: String, _ customer: RetentionCustomer) -> Bool {
        let rule = RetentionRule(proposal: .offer(id: id, productId: nil), message: Self.stay)
        var policy = policy([rule], customer)
        return policy.choice() != nil
    }

    @Test("While nothing is signed, a rule with an offer does not fit, and the next one counts")
    func nothingSigned() throws {
        let rules = [
            RetentionRule(proposal: .offer(id: "anyone", productId: nil), message: Self.stay),
            RetentionRule(message: Self.plain),
        ]
        for signsOffers in [true, false] {
            var policy = policy(rules, customer(), signsOffers: signsOffers)
            #expect(policy.choice()?.index == (signsOffers ? 0 : 1))
            let explained = policy.explainedChoice()
            if !signsOffers { #expect(explained.findings.first?.saw.contains("clock is wrong") == true) }
        }
    }

    @Test("The first rule that fits counts, and those before it say why they do not")
    func firstThatFits() throws {
        let rules = [
            RetentionRule(products: ["news.monthly"], message: Self.plain),
            RetentionRule(proposal: .offer(id: "comeback", productId: nil), message: Self.stay),
            RetentionRule(proposal: .switchTo(productId: "news.monthly", billingPlanType: nil), message: Self.plain),
            RetentionRule(proposal: .switchTo(productId: "pro.monthly", billingPlanType: nil), message: Self.plain),
            RetentionRule(proposal: .switchTo(productId: "pro.yearly", billingPlanType: .monthly), message: Self.stay),
            RetentionRule(message: Self.plain),
        ]
        var policy = policy(rules, customer())
        let (choice, findings) = policy.explainedChoice()
        #expect(choice?.index == 4)
        #expect(choice?.messageIdentifier == "stay-de")
        #expect(choice?.proposal == .switchTo(productId: "pro.yearly", billingPlanType: .monthly))
        #expect(findings.map(\.fits) == [false, false, false, false, true])
        #expect(findings[0].saw == "The customer has pro.monthly.")
        #expect(findings[1].decision?.reason == .stateNotInAudience)
        #expect(findings[1].decision?.explanation?.isEmpty == false)
        #expect(findings[2].saw == "pro.monthly and news.monthly are not of one group.")
        #expect(findings[3].saw == "The customer has pro.monthly already.")
        #expect(findings[4].wanted == "all customers: the switch to pro.yearly (MONTHLY), with the message stay")
        // Behind a rule that the ledger refused, the walk goes on.
        #expect(policy.choice()?.index == 4)
        #expect(policy.choice(from: 5)?.index == 5)
        #expect(policy.choice(from: 6) == nil)
    }

    @Test("An offer may be of another product of the customer's group, and of no other")
    func otherProducts() {
        for (product, group) in [("pro.yearly", true), ("news.monthly", false)] {
            let id = group ? "upgrade" : "extra"
            let rule = RetentionRule(proposal: .offer(id: id, productId: product), message: Self.stay)
            var policy = policy([rule], customer())
            #expect((policy.choice() != nil) == group)
        }
        var own = policy(
            [RetentionRule(proposal: .offer(id: "anyone", productId: nil), message: Self.stay)],
            customer(),
            product: "pro.yearly"
        )
        #expect(own.choice() == nil, "pro.yearly has no such offer")
    }

    @Test("An unknown subscription gets no offer, and messages all the same")
    func unknown() {
        let nobody = customer([])
        #expect(nobody.book == nil)
        #expect(!offered("anyone", nobody))
        var policy = policy(
            [
                RetentionRule(proposal: .offer(id: "anyone", productId: nil), message: Self.stay),
                RetentionRule(message: Self.plain),
            ],
            nobody
        )
        let (choice, findings) = policy.explainedChoice()
        #expect(choice?.proposal == .message)
        #expect(findings.first?.saw == "Nothing is remembered of the subscription: it gets no offer.")
        #expect(policy.decided.map(\.decision.reason) == [.noEvidence])
    }

    @Test("Held state counts at any age while the paid time runs, and up to its age limit after it")
    func age() {
        #expect(offered("anyone", customer([bought(until: 1, called: "1")], asOf: -200)))
        // It was to renew since: nobody knows whether it did. An offer for every state is open all the same.
        let ended = customer([bought(until: -2, called: "1")], asOf: -20)
        #expect(!offered("stay", ended))
        #expect(!offered("anyone", ended))
        let lapsedLately = customer([bought(until: -2, called: "1")], entry(renews: false, ended: true), asOf: -0.5)
        let lapsedLongAgo = customer([bought(until: -20, called: "1")], entry(renews: false, ended: true), asOf: -19)
        #expect(offered("comeback", lapsedLately))
        #expect(!offered("comeback", lapsedLongAgo))
        // A refund ends the paid time.
        #expect(!offered("anyone", customer([bought(refunded: -3, called: "1")], asOf: -3)))
    }

    @Test("Whichever accounts bought it, it is one customer's; caps count for the newest of them")
    func accounts() throws {
        let digests = [UInt8(1), 2, 3].map { AccountDigest(Array(repeating: $0, count: 16)) }
        func purchase(_ id: String, _ digest: AccountDigest?, on date: Double) -> Transaction {
            bought(on: date, until: date + 30, by: digest?.pseudonym.lowercased, called: id)
        }
        let two = customer(
            [purchase("1", digests[0], on: -40), purchase("2", digests[1], on: -10), purchase("3", nil, on: -5)],
            accounts: [digests[0]: .bought, digests[1]: .bought, digests[2]: .presented(at: clock)]
        )
        #expect(two.account == digests[1])
        #expect(offered("anyone", two))
        // Without a purchase that names one: the only one that came with it.
        #expect(customer(accounts: [digests[2]: .presented(at: clock)]).account == digests[2])
        #expect(
            customer(accounts: [digests[1]: .presented(at: clock), digests[2]: .presented(at: clock)]).account == nil
        )
        #expect(customer(accounts: [digests[2]: .redeemed]).account == nil)
    }

    @Test("Redemptions count, by the subscription itself and by others of the account")
    func redemptions() {
        #expect(offered("once", customer()))
        #expect(!offered("once", customer([bought(under: .promotional("once"), called: "1")])))
        let other = Chapter(
            identity("2"),
            transactions: [
                Statement(
                    bought("2", until: -1, under: .promotional("once"), called: "2"),
                    asOf: day(-5),
                    by: .signature
                )
            ]
        )
        #expect(!offered("once", customer(otherRedemptions: other)))
        #expect(offered("twice", customer(otherRedemptions: other)))
    }

    @Test("The answer to a call is found by the call's name in any case")
    func callKey() {
        let subscription = identity("1")
        func key(_ name: String) -> RetentionCallKey {
            RetentionCallKey(requestIdentifier: name, subscription: subscription)
        }
        #expect(key("CA11") == key("ca11"))
        #expect(key("ca11") != key("ca12"))
    }

    @Test("A rule without an offer takes every subscriber of a product")
    func appliesToEverybody() {
        let app = exampleApp()
        let message = RetentionRule(message: Self.plain)
        #expect(message.appliesToEverybody(of: "pro.monthly", in: app))
        #expect(message.appliesToEverybody(of: nil, in: app))
        let limited = RetentionRule(products: ["pro.monthly"], message: Self.plain)
        #expect(limited.appliesToEverybody(of: "pro.monthly", in: app))
        #expect(!limited.appliesToEverybody(of: "pro.yearly", in: app))
        #expect(!limited.appliesToEverybody(of: nil, in: app))
        let switching = RetentionRule(
            proposal: .switchTo(productId: "pro.yearly", billingPlanType: nil),
            message: Self.plain
        )
        #expect(switching.appliesToEverybody(of: "pro.monthly", in: app))
        #expect(!switching.appliesToEverybody(of: "pro.yearly", in: app))
        #expect(!switching.appliesToEverybody(of: "news.monthly", in: app))
        let offering = RetentionRule(proposal: .offer(id: "anyone", productId: nil), message: Self.plain)
        #expect(!offering.appliesToEverybody(of: "pro.monthly", in: app))
    }
}
