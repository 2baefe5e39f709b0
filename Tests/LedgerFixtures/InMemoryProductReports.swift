package import Offers
import Synchronization

/// Product reports in memory, however many.
package final class InMemoryProductReports: ProductReportStore {
    private struct Reports {
        var byCountry: [CountryCode: [String: ObservedProduct]] = [:]
        var offers: Set<OfferRequest> = []

        mutating func save(_ report: ProductReport, at moment: Timestamp) -> Bool {
            guard report.offers.count <= ObservedProduct.mostOffers else { return false }
            var observed = byCountry[report.country]?[report.productId]
            observed?.record(report, at: moment)
            byCountry[report.country, default: [:]][report.productId] = observed ?? ObservedProduct(report, at: moment)
            for offerId in report.offers.compactMap(\.name.offerId) {
                offers.insert(OfferRequest(productId: report.productId, offerId: offerId))
            }
            return true
        }
    }

    private let reports = Mutex<[String: Reports]>([:])

    package init() {}

    package func save(_ reports: [ProductReport], of bundleId: String, at moment: Timestamp) -> [Bool] {
        self.reports.withLock { apps in reports.map { apps[bundleId, default: Reports()].save($0, at: moment) } }
    }

    package func products(of bundleId: String, in country: CountryCode) -> [ObservedProduct] {
        reports.withLock { $0[bundleId]?.byCountry[country].map { Array($0.values) } ?? [] }
    }

    package func offersSeen(of bundleId: String) -> Set<OfferRequest> {
        reports.withLock { $0[bundleId]?.offers ?? [] }
    }
}
