import Offers
import Storage

/// What clients' reports say that offers cost, for redemptions whose price Apple did not say.
struct ReportedPrices {
    private struct Place: Hashable {
        let bundleId: String
        let country: CountryCode
    }

    private var products: [Place: [String: ObservedProduct]] = [:]

    init(of figures: FunnelFigures, in reports: DurableProductReports) async throws(StorageFailure) {
        let places = figures.redemptions.keys.filter { $0.price == nil }.compactMap { redemptions in
            redemptions.storefront.flatMap(CountryCode.init).map {
                Place(bundleId: redemptions.offer.bundleId, country: $0)
            }
        }
        for place in Set(places) {
            let known = try await reports.products(of: place.bundleId, in: place.country)
            products[place] = Dictionary(known.map { ($0.productId, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The price that was reported last.
    func price(of offer: FunnelFigures.Offer, in storefront: String) -> PaidPrice? {
        guard let country = CountryCode(storefront),
            let product = products[Place(bundleId: offer.bundleId, country: country)]?[offer.request.productId],
            let terms = product.offers[.promotional(offer.request.offerId)]?.newest.value
        else { return nil }
        return PaidPrice(
            milliunits: terms.price.tenThousandths / 10,
            currency: product.prices.newest.value.currency.code
        )
    }
}
