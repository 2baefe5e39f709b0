import Offers
import Storage
import Testing

@testable import offer_signer

@Suite("The funnel of the operators' page")
struct RecentFunnelTests {
    private static let noon = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    private func offers(_ count: Int) -> [FunnelFigures.Offer] {
        (0..<count).map {
            FunnelFigures.Offer(bundleId: "reader", request: OfferRequest(productId: "monthly", offerId: "\($0)"))
        }
    }

    @Test("It has a day for each of those asked for, of which the last is today")
    func days() {
        let funnel = RecentFunnel(RecentFigures(), until: Self.noon, days: 3, catalog: offers(2))
        #expect(funnel.days == ["2026-11-19", "2026-11-20", "2026-11-21"])
        #expect(funnel.parts.map(\.environment) == [.production, .sandbox])
        #expect(funnel.parts.allSatisfy { $0.total.asked == [0, 0, 0] })
        #expect(funnel.parts.map { funnel.listed(in: $0).map(\.offer) } == [offers(2), offers(2)])
    }

    @Test("Of very many offers, a bounded number is listed")
    func bounded() {
        let funnel = RecentFunnel(RecentFigures(), until: Self.noon, days: 1, catalog: offers(5000))
        #expect(funnel.listed(in: funnel.parts[0]).count == Overview.mostOffers)
    }
}
