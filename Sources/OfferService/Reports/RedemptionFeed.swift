package import Offers

/// The use case of redemptions as a feed: pages in the order in which they became known, with a wait for news.
package struct RedemptionFeed: Sendable {
    /// Requests that may wait at once; more are answered at once.
    package static let mostWaiting = 64
    /// How long a request may wait, in seconds.
    package static let longestWaitSeconds = 30
    /// How often a request that waits looks for news: other services write, too.
    private static let look = Duration.milliseconds(500)

    private let bundleIds: Set<String>
    private let store: any RedemptionStore
    private let permits: Permits

    /// The permits are those of the process.
    package init(bundleIds: [String], store: any RedemptionStore, permits: Permits) {
        self.bundleIds = Set(bundleIds)
        self.store = store
        self.permits = permits
    }

    /// The beginning of a page: after a position, or at the first redemption that was stored since a moment.
    package enum Start: Sendable {
        case after(Int64)
        case since(Timestamp)
    }

    /// The redemptions of an app from a start on; `nil` for an app outside the catalog, and for a position that was never
    /// given.
    ///
    /// If there are none, it waits for the first, while it is worth it.
    package func page(
        of bundleId: String,
        from start: Start,
        limit: Int,
        waiting time: Duration,
        whileWorthIt isWorthIt: () async -> Bool
    ) async throws(StorageFailure) -> (redemptions: [FeedEntry], position: Int64)? {
        guard bundleIds.contains(bundleId) else { return nil }
        let end = ContinuousClock.now + time
        let position =
            switch start {
            case .after(let position): position
            case .since(let moment): try await store.position(of: bundleId, before: moment)
            }
        var page = try await store.redemptions(of: bundleId, after: position, limit: limit)
        guard page?.isEmpty == true, time > .zero, permits.acquire() else { return page.map { ($0, position) } }
        defer { permits.release() }
        while page?.isEmpty == true, await isWorthIt() {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, (try? await Task.sleep(for: min(left, Self.look))) != nil else { break }
            page = try await store.redemptions(of: bundleId, after: position, limit: limit)
        }
        return page.map { ($0, position) }
    }
}
