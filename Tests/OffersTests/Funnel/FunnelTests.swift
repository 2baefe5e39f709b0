import Offers
import Testing

@Suite("The funnel of offers")
struct FunnelTests {
    private func offer(_ id: String, of app: String = "app") -> FunnelFigures.Offer {
        FunnelFigures.Offer(bundleId: app, request: OfferRequest(productId: "monthly", offerId: id))
    }

    private func decided(
        _ reason: Reason,
        _ offer: FunnelFigures.Offer,
        _ call: DecisionCall = .signatures
    ) -> FunnelFigures.Decisions { FunnelFigures.Decisions(offer: offer, call: call, reason: reason) }

    private func redeemed(
        _ offer: FunnelFigures.Offer,
        _ price: PaidPrice?,
        in storefront: String? = nil,
        signedHere: Bool = true
    ) -> FunnelFigures.Redemptions {
        FunnelFigures.Redemptions(offer: offer, price: price, storefront: storefront, isSignedHere: signedHere)
    }

    @Test("Requests, eligible customers and refusals by reason are counted apart, for each call")
    func decisions() throws {
        let figures = FunnelFigures(
            decisions: [
                decided(.lapsed, offer("a")): 5, decided(.active, offer("a")): 2,
                decided(.neverSubscribed, offer("a")): 3, decided(.evidenceStale, offer("a")): 4,
                decided(.lapsed, offer("a"), .eligibility): 7, decided(.refunded, offer("a"), .eligibility): 1,
            ],
            signatures: [offer("a"): 6]
        )
        let line = try #require(Funnel(figures, catalog: [offer("a")], reportedPrice: { _, _ in nil }).lines.first)
        #expect(line.signatures.asked == 14)
        #expect(line.signatures.eligible == 7)
        #expect(line.signatures.refusals == [.neverSubscribed: 3, .evidenceStale: 4])
        #expect(line.signatures.refusalsByCount.map(\.reason) == [.evidenceStale, .neverSubscribed])
        #expect(line.eligibility.asked == 8)
        #expect(line.eligibility.refusals == [.refunded: 1])
        #expect(line.signed == 6)
    }

    @Test("Retention offers that Apple gave itself are counted apart, and are no redemptions of ours")
    func givenByApple() throws {
        let given = FunnelFigures.Redemptions(
            offer: offer("a"),
            price: nil,
            storefront: nil,
            isSignedHere: false,
            isGivenByApple: true
        )
        let figures = FunnelFigures(redemptions: [given: 3, redeemed(offer("a"), nil): 2])
        let line = try #require(Funnel(figures, catalog: [], reportedPrice: { _, _ in nil }).lines.first)
        #expect(line.givenByApple == 3 && line.redeemed == 2 && line.unpriced == 2)
    }

    @Test("The price is the one that Apple signed, else the one reported of that storefront, else unknown")
    func prices() throws {
        let (euros, dollars) = (
            PaidPrice(milliunits: 4990, currency: "EUR"), PaidPrice(milliunits: 5490, currency: "USD")
        )
        let figures = FunnelFigures(
            redemptions: [
                redeemed(offer("a"), euros, in: "DEU"): 2, redeemed(offer("a"), euros, in: "FRA", signedHere: false): 3,
                redeemed(offer("a"), nil, in: "USA"): 4, redeemed(offer("a"), nil, in: "GBR"): 1,
                redeemed(offer("a"), nil): 1,
            ]
        )
        let funnel = Funnel(figures, catalog: []) { _, storefront in storefront == "USA" ? dollars : nil }
        let line = try #require(funnel.lines.first)
        #expect(line.redeemed == 11)
        #expect(line.redeemedBySignature == 8)
        #expect(line.payments.map(\.price) == [euros, dollars])
        #expect(line.payments.map(\.redemptions) == [5, 4])
        #expect(line.payments.map(\.isReported) == [false, true])
        #expect(line.unpriced == 2)
    }

    @Test("The catalog's offers come in its order, also those never asked for; others of the app after them")
    func order() {
        let unlisted = FunnelFigures.Offer(bundleId: "app", request: CountedDecision.unlisted)
        let figures = FunnelFigures(
            decisions: [decided(.offerNotInCatalog, unlisted): 1],
            signatures: [offer("gone"): 1, offer("z", of: "other"): 1]
        )
        let catalog = [offer("b"), offer("a"), offer("z", of: "other")]
        let funnel = Funnel(figures, catalog: catalog, reportedPrice: { _, _ in nil })
        #expect(
            funnel.lines.map(\.offer) == [offer("b"), offer("a"), offer("gone"), unlisted, offer("z", of: "other")]
        )
    }

    @Test("Offers that the catalog does not have are counted as one, under any name")
    func bounded() {
        let kinds = Set(
            (0..<100).map {
                CountedDecision(
                    .offerNotInCatalog,
                    of: OfferRequest(productId: "\($0)", offerId: "\($0)"),
                    bundleId: "app",
                    environment: nil,
                    call: .signatures
                )
            }
        )
        #expect(kinds.count == 1)
    }

    @Test("Sums stop at the end of the range")
    func largest() throws {
        let price = PaidPrice(milliunits: 990, currency: "EUR")
        let figures = FunnelFigures(
            decisions: [
                decided(.lapsed, offer("a")): .max, decided(.active, offer("a")): 1,
                decided(.neverSubscribed, offer("a")): .max,
            ],
            signatures: [offer("a"): .max],
            redemptions: [
                redeemed(offer("a"), price): .max, redeemed(offer("a"), price, in: "DEU"): 1,
                redeemed(offer("a"), nil): .max, redeemed(offer("a"), nil, in: "USA"): 1,
            ]
        )
        let line = try #require(Funnel(figures, catalog: [], reportedPrice: { _, _ in nil }).lines.first)
        #expect(line.signatures.asked == .max)
        #expect(line.signatures.eligible == .max)
        #expect(line.signed == .max)
        #expect([line.redeemed, line.redeemedBySignature, line.unpriced] == [.max, .max, .max])
        #expect(line.payments.map(\.redemptions) == [.max])
    }

    @Test("A period is made of whole days in UTC")
    func period() {
        let noon = Timestamp(millisecondsSince1970: 1_795_262_400_000)
        let period = FunnelPeriod(since: noon, until: noon)
        #expect(period.start?.rfc3339 == "2026-11-21T00:00:00Z")
        #expect(period.end?.rfc3339 == "2026-11-22T00:00:00Z")
        #expect(FunnelPeriod(since: nil, until: period.end).end == period.end)
        #expect(FunnelPeriod.day(of: Timestamp(millisecondsSince1970: -1)) == -1)
    }
}
