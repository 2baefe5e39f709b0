import Offers
import Testing

@Suite("The win-back offers of a customer")
struct WinBackOfferTests {
    private let app = App(
        bundleId: "com.example.reader",
        subscriptionGroups: [
            SubscriptionGroup(
                id: "pro",
                products: [
                    Product(id: "pro.monthly"),
                    Product(
                        id: "pro.yearly",
                        winBackOffers: [WinBackOffer(id: "b", url: "https://apps.apple.com/win-back/b")]
                    ),
                ]
            ),
            SubscriptionGroup(id: "news", products: [Product(id: "news.monthly")]),
        ]
    )

    private func lapsed(_ ids: [String], signed date: Double = -0.1, by token: String? = nil) -> Shown {
        var renewal = entry(renews: false, ended: true)
        renewal.eligibleWinBackOfferIds = ids
        return signed(bought(until: -5, by: token), renewal, on: date)
    }

    private func offers(
        _ said: (any CustomerSaying)?,
        of products: Set<String> = ["pro.monthly"],
        for account: Account = .none
    ) -> [WinBackOffer] {
        var policy = examplePolicy(said, for: account, of: app)
        return policy.winBackOffers(inGroups: app.groups(ofProducts: products))
    }

    @Test("Apple's order stays, and a link is there where the catalog has it")
    func order() {
        let expected = [
            WinBackOffer(id: "c", url: nil), WinBackOffer(id: "b", url: "https://apps.apple.com/win-back/b"),
        ]
        #expect(offers(lapsed(["c", "b"])) == expected)
        #expect(offers(lapsed(["c", "b"]), of: ["news.monthly"]) == [])
        #expect(offers(lapsed([])) == [])
        #expect(offers(nil) == [])
    }

    @Test("The newest renewal info of a group counts")
    func newest() {
        var book = lapsed(["old"], signed: -0.9).book
        var newer = entry("2", renews: false, ended: true)
        newer.eligibleWinBackOfferIds = ["new"]
        book.add([], [Statement(newer, asOf: day(-0.1), by: .signature)])
        #expect(offers(book).map(\.id) == ["new"])
    }

    @Test("Evidence of another account, and evidence that is too old, names none")
    func others() {
        let alice = Account.alice.payloadField
        #expect(offers(lapsed(["b"], by: alice), for: .alice).map(\.id) == ["b"])
        #expect(offers(lapsed(["b"], by: alice), for: .bob) == [])
        #expect(offers(lapsed(["b"], signed: -2)) == [])
    }
}
