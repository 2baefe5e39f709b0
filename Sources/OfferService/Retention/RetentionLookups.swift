package import Offers
import Synchronization

/// Asks the App Store about subscriptions that Apple has called about and nobody here knew: so that the next call knows them.
///
/// A few are asked about at once, each once at a time, and again after a minute at the earliest; more are left out. Nobody
/// waits for any of it.
package final class RetentionLookups: Sendable {
    private struct State {
        var underWay: Set<SubscriptionIdentity> = []
        /// When each was asked about last.
        var last: [SubscriptionIdentity: Timestamp] = [:]
    }

    /// How many are asked about at once: clients' questions to Apple have the same pace.
    static let mostAtOnce = 4
    /// How many are known to have been asked about; with one more, all are forgotten.
    private static let mostKnown = 4096
    /// After how many seconds one is asked about again.
    private static let pauseSeconds: Int64 = 60

    private let fetcher: any EvidenceFetcher
    private let memory: StateMemory
    private let metrics: RetentionMetrics
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    /// Creates it.
    ///
    /// - Parameters:
    ///   - fetcher: Asks the App Store.
    ///   - memory: Where the answers are kept.
    ///   - metrics: What is counted.
    ///   - now: The server's clock.
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

    /// Asks about a subscription, where there is room; it returns at once.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - app: The app.
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
            await look(up: subscription, of: app)
            state.withLock { _ = $0.underWay.remove(subscription) }
        }
    }

    private func look(up subscription: SubscriptionIdentity, of app: App) async {
        do throws(EvidenceFault) {
            let history = try await fetcher.history(
                answering: .transactionId(subscription.originalTransactionId),
                for: app.bundleId,
                needsWholeHistory: false
            )
            memory.learn(
                history,
                from: .appStore,
                for: memory.view(of: .none, in: app),
                of: app,
                beside: HeldState(),
                at: now()
            )
            metrics.count(.learned)
        } catch {
            metrics.count(.failed)
        }
    }
}
