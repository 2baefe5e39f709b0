public import Offers

/// The use cases of product reports: takes what clients' StoreKit shows, and tells what a landing page needs.
public struct ProductReports: Sendable {
    private let apps: [String: App]
    private let store: any ProductReportStore
    private let now: @Sendable () -> Timestamp

    /// Creates the use cases.
    ///
    /// - Parameters:
    ///   - apps: The apps of the catalog; of two with one bundle identifier the first counts.
    ///   - store: Where reports are kept.
    ///   - now: The server's clock.
    public init(apps: [App], store: any ProductReportStore, now: @escaping @Sendable () -> Timestamp) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.store = store
        self.now = now
    }

    /// Takes reports.
    ///
    /// - Parameters:
    ///   - reports: The reports, in their order.
    ///   - bundleId: The app that they are about.
    /// - Returns: For each report whether it was kept; `false` when the app has no room for more.
    /// - Throws: ``ProductReportFault`` when none was taken.
    public func take(_ reports: [ProductReport], of bundleId: String) async throws(ProductReportFault) -> [Bool] {
        guard apps[bundleId] != nil else { throw .unknownApp(bundleId: bundleId) }
        do throws(StorageFailure) {
            return try await store.keep(reports, of: bundleId, at: now())
        } catch {
            throw .store(error)
        }
    }

    /// Tells what is known of an app's products in a country.
    ///
    /// - Parameters:
    ///   - bundleId: The app.
    ///   - country: The country.
    ///   - productIds: The products asked for; empty for all.
    /// - Returns: What is known.
    /// - Throws: ``ProductReportFault`` when nothing can be told.
    public func products(
        of bundleId: String,
        in country: CountryCode,
        productIds: [String] = []
    ) async throws(ProductReportFault) -> ProductOverview {
        guard let app = apps[bundleId] else { throw .unknownApp(bundleId: bundleId) }
        let observed: [ObservedProduct]
        let seen: Set<OfferRequest>
        do throws(StorageFailure) {
            observed = try await store.products(of: bundleId, in: country)
            seen = try await store.offersSeen(of: bundleId)
        } catch {
            throw .store(error)
        }
        let asked = Set(productIds)
        func counts(_ productId: String) -> Bool { asked.isEmpty || asked.contains(productId) }
        let comparison = CatalogComparison(offered: app.offers, seen: seen)
        let known = Set(observed.map(\.productId))
        return ProductOverview(
            bundleId: bundleId,
            country: country,
            products: observed.filter { counts($0.productId) }.sorted { $0.productId < $1.productId }
                .map { KnownProduct(observed: $0, catalog: app.product($0.productId)?.product) },
            unknownProducts: Array(asked.subtracting(known)).sorted(),
            offersNeverSeen: comparison.neverSeen.filter { counts($0.productId) },
            offersNotInCatalog: comparison.notInCatalog.filter { counts($0.productId) }
        )
    }

    /// Compares the catalog's offers of an app with those that any client was shown.
    ///
    /// - Parameter bundleId: The app.
    /// - Returns: The differences.
    /// - Throws: ``ProductReportFault`` when nothing can be told.
    public func comparison(of bundleId: String) async throws(ProductReportFault) -> CatalogComparison {
        guard let app = apps[bundleId] else { throw .unknownApp(bundleId: bundleId) }
        do throws(StorageFailure) {
            return CatalogComparison(offered: app.offers, seen: try await store.offersSeen(of: bundleId))
        } catch {
            throw .store(error)
        }
    }
}

/// Why reports were not taken, or nothing can be told.
public enum ProductReportFault: Error, Equatable {
    /// The catalog does not have the app.
    case unknownApp(bundleId: String)
    /// The store failed.
    case store(StorageFailure)
}
