import AppStore
import Offers
import Testing

/// The same answer in another form is the same evidence, for answers put together at random.
@Suite("Equivalent answers")
struct EquivalentAnswersTests {
    private static let now: Int64 = 1_795_262_400_000

    private struct Verdicts: Equatable {
        let offers: [Decision]
        let introductory: [IntroductoryDecision]
    }

    private func verdicts(_ answer: JSON) throws -> Verdicts {
        let offers = [
            PromotionalOffer(id: "anyone"), PromotionalOffer(id: "lapsed") { $0.audience = [.lapsed] },
            PromotionalOffer(id: "once") { $0.maxRedemptions = 1 }, PromotionalOffer(id: "app") { $0.scope = .app },
            PromotionalOffer(id: "from") { $0.fromProducts = ["yearly"] },
            PromotionalOffer(id: "late") { $0.minimumLapsedDays = 30 },
            PromotionalOffer(id: "kind") {
                $0.afterRefund = .allow
                $0.familyShared = .allow
            },
        ]
        let app = App(
            bundleId: "com.example.reader",
            subscriptionGroups: [
                SubscriptionGroup(
                    id: "1",
                    products: [Product(id: "monthly", offers: offers), Product(id: "yearly")]
                ),
                SubscriptionGroup(id: "2", products: [Product(id: "news", offers: [PromotionalOffer(id: "anyone")])]),
            ]
        )
        let customer = Customer(
            account: .none,
            book: try AppStoreEvidenceReader().book(from: .receiptResponse(json: Array(answer.text.utf8)))
        )
        let now = Timestamp(millisecondsSince1970: Self.now)
        var policy = OfferPolicy(app: app, customer: customer, now: now, maximumEvidenceAgeSeconds: 86400)
        var introductory = IntroductoryPolicy(app: app, customer: customer, now: now, maximumEvidenceAgeSeconds: 86400)
        return Verdicts(
            offers: app.offers.map { policy.decide($0, explaining: true) },
            introductory: ["monthly", "news", "gone"].map { introductory.decide($0, explaining: true) }
        )
    }

    @Test("Numbers as strings, flags as words, another order, and a consumable change no word", arguments: 0..<300)
    func equivalent(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let answer = JSON.answer(at: Self.now, using: &generator)
        let expected = try verdicts(answer)
        #expect(try verdicts(answer.withNumbersAsStrings) == expected)
        #expect(try verdicts(answer.withFlagsAsWords) == expected)
        #expect(try verdicts(answer.shuffled(using: &generator)) == expected)
        #expect(try verdicts(answer.withConsumable) == expected)
        #expect(try verdicts(answer.withConsumable.withFlagsAsWords.shuffled(using: &generator)) == expected)
    }

    @Test("Without renewal information no offer is eligible", arguments: 0..<300)
    func withoutRenewals(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let answer = JSON.answer(at: Self.now, using: &generator).without("pending_renewal_info")
        #expect(try verdicts(answer).offers.allSatisfy { $0.verdict != .eligible })
    }

    @Test("The answers made up here are of many kinds: every state is among them")
    func variety() throws {
        var reasons: Set<Reason> = []
        var introductory: Set<IntroductoryReason> = []
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let found = try verdicts(JSON.answer(at: Self.now, using: &generator))
            reasons.formUnion(found.offers.map(\.reason))
            introductory.formUnion(found.introductory.map(\.reason))
        }
        #expect(
            reasons.isSuperset(of: [
                .active, .activeAutoRenewOff, .gracePeriod, .billingRetry, .lapsed, .neverSubscribed,
                .noPendingRenewalInfo, .refunded, .familyShared, .stateNotInAudience, .redemptionLimit, .notFromProduct,
                .lapsedTooRecently, .groupUnknown,
            ])
        )
        #expect(
            introductory.isSuperset(of: [
                .neverUsed, .alreadyUsed, .activeSubscription, .gracePeriod, .noEvidence, .groupUnknown,
            ])
        )
    }
}
