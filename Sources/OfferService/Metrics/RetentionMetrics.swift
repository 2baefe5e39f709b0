package import CoreMetrics
import Offers
import Synchronization

/// Counts Apple's calls for retention messages by answer and reason, and measures their time.
package final class RetentionMetrics: Sendable {
    /// The outcome of a call: the labels `answer` and `reason`, with a blank between them.
    enum Outcome: String, CaseIterable, Sendable {
        case message = "message rule"
        case messageAgain = "message repeated"
        case alternateProduct = "alternate_product rule"
        case alternateProductAgain = "alternate_product repeated"
        case promotionalOffer = "promotional_offer rule"
        case promotionalOfferAgain = "promotional_offer repeated"
        case noRule = "none no_rule_fits"
        case malformed = "refused malformed"
        case notApples = "refused not_apples"
        case tooOld = "refused too_old"
        case inFuture = "refused in_future"
        case notInCatalog = "refused not_in_catalog"
        case tooSlow = "unavailable too_slow"
        case full = "unavailable too_many_at_once"
        case ledger = "unavailable ledger"
        case state = "unavailable state"
        case signing = "unavailable signing"

        var labels: (answer: String, reason: String) {
            (String(rawValue.prefix { $0 != " " }), String(rawValue.drop { $0 != " " }.dropFirst()))
        }
    }

    /// The outcome of a question to the App Store about an unknown subscription.
    enum Lookup: String, CaseIterable, Sendable {
        case learned
        /// Apple did not say.
        case failed
        /// The limit of calls under way was reached.
        case leftOut = "left_out"
    }

    private let calls: [Outcome: Counter]
    private let lookups: [Lookup: Counter]
    private let duration: Timer
    private let counted = Mutex((calls: [Outcome: Int](), nanoseconds: Int64(0)))
    private let limit: Meter

    package init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        calls = Dictionary(counting: Outcome.allCases, "offer_signer_retention_calls_total", factory) {
            [("answer", $0.labels.answer), ("reason", $0.labels.reason)]
        }
        lookups = Dictionary(counting: Lookup.allCases, "offer_signer_retention_lookups_total", factory) {
            [("outcome", $0.rawValue)]
        }
        duration = Timer(label: "offer_signer_retention_call_duration_seconds", factory: factory)
        limit = Meter(label: "offer_signer_retention_timeout_seconds", factory: factory)
    }

    func set(limit: Duration) { self.limit.set(limit / .seconds(1)) }

    func count(_ outcome: Outcome, nanoseconds: Int64) {
        calls[outcome]?.increment()
        duration.recordNanoseconds(nanoseconds)
        counted.withLock { counted in
            counted.calls[outcome, default: 0] += 1
            counted.nanoseconds += nanoseconds
        }
    }

    package func countMalformed() {
        calls[.malformed]?.increment()
        counted.withLock { $0.calls[.malformed, default: 0] += 1 }
    }

    /// The calls since the start by outcome, and the mean time of those that were looked at.
    package var tally: (calls: [(answer: String, reason: String, count: Int)], meanMicroseconds: Int64?) {
        let (calls, nanoseconds) = counted.withLock { ($0.calls, $0.nanoseconds) }
        let timed = calls.values.reduce(0, +) - (calls[.malformed] ?? 0)
        return (
            Outcome.allCases.compactMap { outcome in
                calls[outcome].map { (outcome.labels.answer, outcome.labels.reason, $0) }
            },
            timed > 0 ? nanoseconds / Int64(timed) / 1000 : nil
        )
    }

    func count(_ lookup: Lookup) { lookups[lookup]?.increment() }
}
