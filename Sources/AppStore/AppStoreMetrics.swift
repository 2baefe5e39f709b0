package import CoreMetrics
import Offers
import Synchronization

/// The metrics of calls to Apple: the calls, the reasons why one was held back, and how a question was answered.
package struct AppStoreMetrics: Sendable {
    /// What answers a question.
    enum Source: String, CaseIterable, Sendable {
        case call
        /// A call that was under way for an equal question.
        case sharedCall = "shared_call"
        /// An answer that was still at hand.
        case cache
    }

    /// What keeps a call back.
    package enum Restraint: String, CaseIterable, Sendable {
        /// The service was down just now.
        case breaker
        /// The app has asked as often as our own pace allows.
        case pace
        /// Apple has asked for patience, and the time that it named is not over.
        case apple
    }

    /// Calls that wait for their place in an app's pace.
    let waiting: Meter
    let factory: any MetricsFactory

    private let calls: CallTable
    private let sources: [Source: Counter]
    private let restraints: [Restraint: Counter]

    package init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.factory = factory
        calls = CallTable(factory: factory)
        waiting = Meter(label: "offer_signer_app_store_waiting_calls", factory: factory)
        sources = Self.counters("offer_signer_app_store_questions_total", factory) { [("answered_by", $0.rawValue)] }
        restraints = Self.counters("offer_signer_app_store_held_back_total", factory) { [("cause", $0.rawValue)] }
    }

    /// A counter for each value of a label.
    private static func counters<Value: CaseIterable & Hashable>(
        _ name: String,
        _ factory: any MetricsFactory,
        _ labels: (Value) -> [(String, String)]
    ) -> [Value: Counter] {
        let counters = Value.allCases.map { ($0, Counter(label: name, dimensions: labels($0), factory: factory)) }
        return Dictionary(counters, uniquingKeysWith: { first, _ in first })
    }

    func count(_ request: OutgoingRequest, status: String, nanoseconds: Int64) {
        let handles = calls.handles(for: CallTable.Key(request, status: status))
        handles.count.increment()
        handles.duration.recordNanoseconds(nanoseconds)
    }

    func countQuestion(answeredBy source: Source) {
        sources[source]?.increment()
    }

    func countHeldBack(by restraint: Restraint) {
        restraints[restraint]?.increment()
    }

    /// The counters of questions that Apple did not answer because of the service's own credentials.
    func credentialsRefused(for bundleId: String) -> [AppStoreService: Counter] {
        Self.counters("offer_signer_app_store_credentials_refused_total", factory) {
            [("service", $0.rawValue), ("app", bundleId)]
        }
    }
}

/// The handles of calls, each made at its first use and kept.
private final class CallTable: Sendable {
    struct Key: Hashable {
        let service: AppStoreService
        let environment: AppStoreEnvironment
        let app: String
        let status: String

        init(_ request: OutgoingRequest, status: String) {
            service = request.service
            environment = request.environment
            app = request.bundleId
            self.status = status
        }
    }

    struct Handles {
        let count: Counter
        let duration: Timer
    }

    private let factory: any MetricsFactory
    private let known = Mutex<[Key: Handles]>([:])

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    func handles(for key: Key) -> Handles {
        known.withLock { known in
            if let handles = known[key] { return handles }
            let labels = [("service", key.service.rawValue), ("environment", key.environment.rawValue)]
            let handles = Handles(
                count: Counter(
                    label: "offer_signer_app_store_calls_total",
                    dimensions: labels + [("status", key.status), ("app", key.app)],
                    factory: factory
                ),
                duration: Timer(
                    label: "offer_signer_app_store_call_duration_seconds",
                    dimensions: labels,
                    factory: factory
                )
            )
            known[key] = handles
            return handles
        }
    }
}

extension AppStoreEvidenceFetcher {
    /// Sets the gauges, before the metrics are read.
    package func updateGauges() {
        for service in [AppStoreService.verifyReceipt, .serverAPI] {
            for environment in [AppStoreEnvironment.production, .sandbox] {
                let urls = apple.urls
                let url =
                    service == .serverAPI ? urls.serverAPI(in: environment) : urls.verifyReceipt(in: environment)
                Meter(
                    label: "offer_signer_app_store_breaker_open",
                    dimensions: [("service", service.rawValue), ("environment", environment.rawValue)],
                    factory: metrics.factory
                ).set(throttle?.isPaused(url) == true ? 1 : 0)
            }
        }
        Meter(label: "offer_signer_app_store_cached_answers", factory: metrics.factory).set(answers.count)
        Meter(label: "offer_signer_app_store_questions_under_way", factory: metrics.factory).set(flights.count)
    }
}
