import AppStore
import OfferAPI
import OfferService

/// What the configuration describes, composed and ready to answer: one value that a reload replaces as a whole.
///
/// It owns the keys of its configuration, so that one that is no longer configured goes with the last request that
/// began before the reload.
struct ServiceSnapshot: Sendable {
    /// Settings, warnings and keys.
    let service: LoadedService
    /// What clients reported of products: it outlives a reload.
    let productReports: InMemoryProductReports
    /// The connections to Apple: they outlive a reload.
    let appStoreTransport: AsyncHTTPTransport
    /// What clients call.
    let endpoints: PublicEndpoints<GuardedKey, AppStoreEvidenceReader, InMemoryProductReports, P256Verifier>

    /// Composes what was loaded.
    ///
    /// - Parameters:
    ///   - service: What the configuration describes.
    ///   - productReports: What clients reported of products so far.
    ///   - appStoreTransport: The connections to Apple.
    init(
        _ service: LoadedService,
        productReports: InMemoryProductReports,
        appStoreTransport: AsyncHTTPTransport
    ) {
        self.service = service
        self.productReports = productReports
        self.appStoreTransport = appStoreTransport
        endpoints = PublicEndpoints(
            clients: service.clients,
            signOffers: service.signOffers(asking: service.appStoreFetcher(over: appStoreTransport)),
            productReports: service.productReports(in: productReports),
            diagnoseReports: service.diagnoseReports()
        )
    }
}
