import CoreMetrics
import Offers

/// How many signatures were made for an app with one key, by offer and format.
///
/// Every offer of the catalog has its series from the start, at zero. Offers of other names are never signed, and so
/// never counted.
struct SignatureCounters: Sendable {
    private let counters: [String: Counter]

    /// Makes the handles.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - keyIdentifier: The key that signs for it.
    ///   - format: What is made of the signature, as a request names it.
    ///   - factory: What keeps the metrics.
    init(_ app: App, keyIdentifier: String, format: String, factory: any MetricsFactory) {
        let offerIds = Set(app.offers.map(\.offerId))
        let counters = offerIds.sorted().map { offerId in
            let labels = [("app", app.bundleId), ("offer", offerId), ("key_id", keyIdentifier), ("format", format)]
            return (offerId, Counter(label: "offer_signer_signatures_total", dimensions: labels, factory: factory))
        }
        self.counters = Dictionary(counters, uniquingKeysWith: { first, _ in first })
    }

    /// Counts a signature.
    ///
    /// - Parameter offerId: The offer that was signed.
    func count(_ offerId: String) {
        counters[offerId]?.increment()
    }
}
