import CoreMetrics
import Offers

/// Counts the signatures for an app with one key, by offer and format.
///
/// Every offer of the catalog has its series from the start, at zero. Offers of other names are never signed, and so
/// never counted.
final class SignatureCounters: Sendable {
    private let discounts: [String: Counter]
    private let jws: [String: Counter]
    private let introductory: [Bool: Counter]

    init(_ app: App, keyIdentifier: String, formats: [SignatureFormat], factory: any MetricsFactory) {
        let offerIds = Set(app.offers.map(\.offerId)).sorted()
        let key = [("app", app.bundleId), ("key_id", keyIdentifier)]
        func counters(of format: SignatureFormat) -> [String: Counter] {
            guard formats.contains(format) else { return [:] }
            let ofFormat = offerIds.map { offerId in
                let labels = [
                    ("app", app.bundleId), ("offer", offerId), ("key_id", keyIdentifier), ("format", format.rawValue),
                ]
                return (offerId, Counter(label: "offer_signer_signatures_total", dimensions: labels, factory: factory))
            }
            return Dictionary(ofFormat, uniquingKeysWith: { first, _ in first })
        }
        discounts = counters(of: .discount)
        jws = counters(of: .jws)
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
        switch format {
        case .discount: discounts[offerId]?.increment()
        case .jws: jws[offerId]?.increment()
        }
    }

    func countIntroductory(allowing allows: Bool) {
        introductory[allows]?.increment()
    }
}
