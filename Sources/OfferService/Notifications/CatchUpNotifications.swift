package import Offers
import Synchronization

/// The use case that reads Apple's notification history: what Apple sent and nobody took.
///
/// Notifications go through the same use case as deliveries. Progress is stored after each page, so that the next reading
/// repeats a page at most. A page at a time is in memory.
package struct CatchUpNotifications<Reader: NotificationReader>: Sendable {
    private let history: any NotificationHistory
    private let store: any HistoryProgressStore
    private let takeNotifications: TakeNotifications<Reader>
    private let reader: HistoryReader
    private let metrics: NotificationHistoryMetrics
    private let now: @Sendable () -> Timestamp
    private let windows = WindowsUnderWay()

    /// `takeNotifications` counts nothing: what comes of the history is counted apart.
    package init(
        _ history: any NotificationHistory,
        store: any HistoryProgressStore,
        takeNotifications: TakeNotifications<Reader>,
        by reader: HistoryReader,
        metrics: NotificationHistoryMetrics = NotificationHistoryMetrics(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.history = history
        self.store = store
        self.takeNotifications = takeNotifications
        self.reader = reader
        self.metrics = metrics
        self.now = now
    }

    package var owners: [HistoryOwner] { history.owners }

    /// What one step has done.
    package struct Step: Sendable {
        /// The progress after it.
        package fileprivate(set) var progress: HistoryProgress
        /// Whether all is read that Apple can list by now.
        package fileprivate(set) var isDone = false
        /// The notifications of its page by their types.
        package fileprivate(set) var read: [String: Int] = [:]
        /// Those of them that nobody had taken before.
        package fileprivate(set) var recovered: [String: Int] = [:]
        /// Those that are not for this app as the catalog has it, or are not genuine.
        package fileprivate(set) var refused = 0
        /// Why it did not begin at the mark; `nil` where it did.
        package fileprivate(set) var restart: String?
    }

    /// Reads and stores the next page of an app.
    ///
    /// A command gives the moment from which on it reads; it goes on where an earlier one that began no later was stopped.
    package func step(of owner: HistoryOwner, since: Timestamp? = nil) async throws(HistoryFault) -> Step {
        let moment = now()
        do {
            let known = try await store.progress(of: owner, by: reader)
            var step = begin(known, in: owner.environment, since: since, at: moment)
            let mark = step.progress.mark
            guard let window = step.progress.nextWindow(in: owner.environment, at: moment) else {
                if reader == .command { try await store.put(nil, of: owner, by: reader) }
                step.isDone = true
                return step
            }
            let page: HistoryPage
            do throws(HistoryFault) {
                page = try await history.page(window, of: owner)
            } catch {
                guard error.kind == .pageRefused else { throw error }
                throw try await restart(window, of: owner, step.progress, after: error)
            }
            try await receive(page.items, into: &step)
            if let next = page.nextPage, !windows.isNew(next, in: window, of: owner) {
                let fault = HistoryFault(
                    "Apple's notification history comes round to a page that it gave",
                    .pageRefused
                )
                throw try await restart(window, of: owner, step.progress, after: fault)
            }
            for attempt in page.items.lazy.flatMap(\.attempts) where attempt.date > mark { metrics.count(attempt) }
            step.progress.stored(nextPage: page.nextPage)
            try await store.put(step.progress, of: owner, by: reader)
            return step
        } catch let fault as HistoryFault {
            throw fault
        } catch {
            throw HistoryFault("\(error)")
        }
    }

    /// Has a window read from its first page, where one of its pages was refused, once; else it is refused as a whole.
    private func restart(
        _ window: HistoryWindow,
        of owner: HistoryOwner,
        _ progress: HistoryProgress,
        after fault: HistoryFault
    ) async throws(StorageFailure) -> HistoryFault {
        var (fault, progress) = (fault, progress)
        let isFirstPage = window.paginationToken == nil
        if isFirstPage || !windows.mayBeginAnew(of: owner, at: progress.mark) { fault.kind = .windowRefused }
        progress.restartWindow()
        try await store.put(progress, of: owner, by: reader)
        return fault
    }

    private func begin(
        _ known: HistoryProgress?,
        in environment: AppStoreEnvironment,
        since: Timestamp?,
        at moment: Timestamp
    ) -> Step {
        if let since = since.map({ max($0, HistoryProgress.reach(in: environment, at: moment)) }),
            known.map({ $0.since > since || $0.isInFuture(at: moment) }) ?? true
        {
            return Step(progress: HistoryProgress(since: since))
        }
        guard let known else { return Step(progress: .new(at: moment)) }
        let mark = known.mark.rfc3339
        if known.isInFuture(at: moment) {
            let restart = "its mark, \(mark), is in the future: it begins 24 hours ago"
            return Step(progress: .new(at: moment), restart: restart)
        }
        guard known.isOutOfReach(in: environment, at: moment) else { return Step(progress: known) }
        let days = HistoryProgress.reachDays(in: environment)
        return Step(
            progress: HistoryProgress(since: HistoryProgress.reach(in: environment, at: moment)),
            restart: "its mark, \(mark), is older than the \(days) days that Apple tells of: it begins there"
        )
    }

    /// Receives the notifications of a page together, so that they are stored together.
    private func receive(_ items: [HistoryPage.Item], into step: inout Step) async throws {
        try await withThrowingTaskGroup(of: TakenNotification?.self) { group in
            for item in items {
                group.addTask { [takeNotifications, reader] in
                    do throws(NotificationRefusal) {
                        return try await takeNotifications.receive(item.signedPayload, again: reader == .command)
                    } catch {
                        guard case .notKept(let failure) = error else { return nil }
                        throw failure
                    }
                }
            }
            for try await one in group {
                guard let one else {
                    step.refused += 1
                    continue
                }
                step.read[one.type, default: 0] += 1
                guard one.outcome != .repeated else { continue }
                step.recovered[one.type, default: 0] += 1
                metrics.countRecovered(one.type)
            }
        }
    }
}

/// The windows under way, beside their progress: after a restart they begin with less of it.
private final class WindowsUnderWay: Sendable {
    private struct Known {
        var window: HistoryWindow
        /// The digests of the names of its pages.
        var pages: Set<Int> = []
    }

    private let known = Mutex<[HistoryOwner: Known]>([:])
    /// The marks from which a window was begun anew.
    private let restarts = Mutex<[HistoryOwner: Timestamp]>([:])

    /// Notes the name of a window's next page; `false` where it had that page.
    func isNew(_ page: String, in window: HistoryWindow, of owner: HistoryOwner) -> Bool {
        known.withLock { known in
            if window.paginationToken == nil || known[owner]?.window.end != window.end {
                known[owner] = Known(window: window)
            }
            var pages = known[owner]?.pages ?? []
            known[owner]?.pages = []
            defer { known[owner]?.pages = pages }
            if let token = window.paginationToken { pages.insert(token.hashValue) }
            return pages.insert(page.hashValue).inserted
        }
    }

    /// Whether a window that begins at a mark may be begun anew: once.
    func mayBeginAnew(of owner: HistoryOwner, at mark: Timestamp) -> Bool {
        restarts.withLock { restarts in
            if restarts[owner] == mark { return false }
            restarts[owner] = mark
            return true
        }
    }
}
