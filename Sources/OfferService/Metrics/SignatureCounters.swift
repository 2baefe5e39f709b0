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
        offers = formats.reduce(into: [:]) { offers, format in
            offers[format] = Dictionary(counting: offerIds, "offer_signer_signatures_total", factory) {
                [("app", app.bundleId), ("offer", $0), ("key_id", keyIdentifier), ("format", format.rawValue)]
            }
        }
        let answers = formats.contains(.jws) ? [true, false] : []
        introductory = Dictionary(counting: answers, "offer_signer_introductory_signatures_total", factory) {
            [("app", app.bundleId), ("key_id", keyIdentifier), ("allow_introductory_offer", $0 ? "true" : "false")]
        }
    }

    func count(_ offerId: String, as format: SignatureFormat) {
        offers[format]?[offerId]?.increment()
    }

    func countIntroductory(allowing allows: Bool) { introductory[allows]?.increment() }
}
