package import Offers
import Synchronization

/// Product reports in memory, under the limits of the service's own stores.
package final class InMemoryProductReports: ProductReportStore {
    /// How many products in countries are kept for one app.
    package static let mostEntries = 10_000

    private struct Reports {
        var byCountry: [CountryCode: [String: ObservedProduct]] = [:]
        var entries = 0
        var offers: Set<OfferRequest> = []

        mutating func keep(_ report: ProductReport, at moment: Timestamp) -> Bool {
            guard report.offers.count <= ObservedProduct.mostOffers else { return false }
            if var known = byCountry[report.country]?[report.productId] {
                known.note(report, at: moment)
                byCountry[report.country]?[report.productId] = known
            } else {
                guard entries < InMemoryProductReports.mostEntries else { return false }
                byCountry[report.country, default: [:]][report.productId] = ObservedProduct(report, at: moment)
                entries += 1
            }
            for offerId in report.offers.compactMap(\.name.offerId) {
                offers.insert(OfferRequest(productId: report.productId, offerId: offerId))
            }
            return true
        }
    }

    private let reports = Mutex<[String: Reports]>([:])

    /// Creates an empty store.
    package init() {}

    /// Keeps reports, in their order.
    package func keep(_ reports: [ProductReport], of bundleId: String, at moment: Timestamp) -> [Bool] {
        self.reports.withLock { apps in
            reports.map { apps[bundleId, default: Reports()].keep($0, at: moment) }
        }
    }

    /// What is known of an app's products in a country.
    package func products(of bundleId: String, in country: CountryCode) -> [ObservedProduct] {
        reports.withLock { $0[bundleId]?.byCountry[country].map { Array($0.values) } ?? [] }
    }

    /// The promotional offers of an app that any client was shown in any country.
    package func offersSeen(of bundleId: String) -> Set<OfferRequest> {
        reports.withLock { $0[bundleId]?.offers ?? [] }
    }
}
