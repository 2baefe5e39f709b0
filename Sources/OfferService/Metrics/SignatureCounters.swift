import CoreMetrics
import Offers

/// Counts the signatures for an app with one key, by offer and format.
///
/// Every offer of the catalog has its series from the start, at zero. Offers of other names are never signed, and so
/// never counted.
final class SignatureCounters: Sendable {
    private let offers: [SignatureFormat: [String: Counter]]
    private let introductory: [Bool: Counter]

    init(_ app: App, keyIdentifier: String, formats: [SignatureFormat], factory: any MetricsFactory) {
        let offerIds = Set(app.offers.map(\.offerId)).sorted()
        let key = [("app", app.bundleId), ("key_id", keyIdentifier)]
        offers = formats.reduce(into: [:]) { offers, format in
            for offerId in offerIds {
                let labels = [
                    ("app", app.bundleId), ("offer", offerId), ("key_id", keyIdentifier), ("format", format.rawValue),
                ]
                offers[format, default: [:]][offerId] = Counter(
                    label: "offer_signer_signatures_total",
                    dimensions: labels,
                    factory: factory
                )
            }
        }
        let answers = formats.contains(.jws) ? [true, false] : []
        introductory = Dictionary(
            answers.map { allows in
                let name = "offer_signer_introductory_signatures_total"
                let labels = key + [("allow_introductory_offer", allows ? "true" : "false")]
                return (allows, Counter(label: name, dimensions: labels, factory: factory))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func count(_ offerId: String, as format: SignatureFormat) {
        offers[format]?[offerId]?.increment()
    }

    func countIntroductory(allowing allows: Bool) { introductory[allows]?.increment() }
}
