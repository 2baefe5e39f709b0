package import Offers
import Synchronization

/// Asks the App Store about unknown subscriptions of Apple's calls, so that the next call knows them.
///
/// A few are asked about at once, each once at a time, and again after a minute at the earliest; more are left out.
/// Nobody waits for any of it.
package final class RetentionLookups: Sendable {
    private struct State {
        var underWay: Set<SubscriptionIdentity> = []
        /// The moment of the last question about each.
        var last: [SubscriptionIdentity: Timestamp] = [:]
    }

    /// Questions at once: clients' questions to Apple have the same pace.
    static let mostAtOnce = 4
    /// Subscriptions known to have been asked about; with one more, all are forgotten.
    private static let mostKnown = 4096
    /// The time before another question about the same subscription.
    private static let pauseSeconds: Int64 = 60

    private let fetcher: any EvidenceFetcher
    private let memory: StateMemory
    private let metrics: RetentionMetrics
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    package init(
        fetcher: any EvidenceFetcher,
        memory: StateMemory,
        metrics: RetentionMetrics,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.memory = memory
        self.metrics = metrics
        self.now = now
    }

    /// Asks about a subscription where there is room, and returns at once.
    func begin(_ subscription: SubscriptionIdentity, of app: App) {
        let moment = now()
        let begins = state.withLock { state -> Bool? in
            guard !state.underWay.contains(subscription) else { return nil }
            if let last = state.last[subscription], last.adding(seconds: Self.pauseSeconds) > moment { return nil }
            guard state.underWay.count < Self.mostAtOnce else { return false }
            if state.last.count >= Self.mostKnown { state.last = [:] }
            state.last[subscription] = moment
            state.underWay.insert(subscription)
            return true
        }
        guard let begins else { return }
        guard begins else { return metrics.count(.leftOut) }
        Task {
            await fetchHistory(of: subscription, in: app)
            state.withLock { _ = $0.underWay.remove(subscription) }
        }
    }

    private func fetchHistory(of subscription: SubscriptionIdentity, in app: App) async {
        do throws(EvidenceFault) {
            let answer = try await fetcher.history(
                answering: .transactionId(subscription.originalTransactionId),
                for: app.bundleId,
                by: nil,
                needsWholeHistory: false
            )
            memory.learn(
                answer,
                from: .appStore,
                for: .none,
                of: app,
                beside: Book(),
                at: now()
            )
            metrics.count(.learned)
        } catch {
            metrics.count(.failed)
        }
    }
}
