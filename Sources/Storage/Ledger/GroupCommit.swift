import Dispatch
import Offers
import Synchronization

/// Many callers, one writer: all that is queued during a commit goes into the next one.
///
/// It does not wait for more items. Only the writer blocks, on its own dispatch queue. A caller gets one result: after
/// the commit that holds its items, or at its deadline if that comes first.
final class GroupCommit<Item: Sendable, Outcome: Sendable>: Sendable {
    /// Called once, with the outcomes of a caller's items in their order.
    typealias Completion = @Sendable (Result<[Outcome], StorageFailure>) -> Void

    /// Writes items, and returns when they are on durable storage, with an outcome for each.
    ///
    /// Just before the end of the transaction it asks whether the items are still wanted: if not, it rolls back and
    /// throws ``StorageFailure/abandoned``.
    typealias Commit =
        @Sendable (
            _ items: [Item],
            _ isWanted: @escaping @Sendable () -> Bool
        ) throws(StorageFailure) -> [Outcome]

    /// How much may wait, and for how long.
    struct Bounds: Sendable {
        /// The most items that wait to be written.
        var waiting = 16_384
        /// The most items of one commit.
        var commit = 1024
        /// How long an item may take until it is on durable storage.
        var deadline = Duration.seconds(2)
        /// How long items that have to wait for others are set aside before the next review.
        var review = Duration.milliseconds(100)
        /// How long the writer rests after a failure before it tries to write again.
        var rest = Duration.seconds(1)
    }

    private struct State {
        var waiting: [Request] = []
        var waitingItems = 0
        var inHand: [Request] = []
        /// The requests that are set aside, as they would have to wait for other transactions.
        var kept: [Request] = []
        /// Whether anything was ever written.
        var hasWritten = false
        var isWriting = false
        var isWatching = false
        var isClosed = false
        var failure: StorageFailure?
        var refusal: StorageFailure?

        mutating func admit(_ request: Request, upTo limit: Int, isUrgent: Bool) -> Admission {
            if isClosed { return .refused(StorageFailure(.closed, "the service is going")) }
            // While the store fails, callers are refused at once: the writer finds out by itself when it works again.
            if let failure { return .refused(failure) }
            guard waitingItems + request.items.count <= limit else {
                return .refused(StorageFailure(.full, "\(waitingItems) requests wait to be written"))
            }
            waiting.insert(request, at: isUrgent ? 0 : waiting.count)
            waitingItems += request.items.count
            defer {
                isWriting = true
                isWatching = true
            }
            return .queued(startsWriting: !isWriting, startsWatching: !isWatching)
        }
    }

    private enum Admission {
        case refused(StorageFailure)
        case queued(startsWriting: Bool, startsWatching: Bool)
    }

    private let state = Mutex(State())
    private let bounds: Bounds
    private let commit: Commit
    private let probe: @Sendable () throws(StorageFailure) -> Void
    private let isItemKept: @Sendable (Item) -> Bool
    private let reviewKept: @Sendable () -> Void
    private let writer: DispatchQueue
    private let watch = DispatchQueue(label: "ledger.deadlines")

    /// Writes nothing yet; then commits and probes on this queue, one at a time.
    ///
    /// An item is kept where it would have to wait for the locks of other transactions, by the last review. A probe writes a
    /// little, to find out whether the store takes it again.
    init(
        bounds: Bounds,
        on writer: DispatchQueue,
        isKept: @escaping @Sendable (Item) -> Bool = { _ in false },
        review: @escaping @Sendable () -> Void = {},
        probe: @escaping @Sendable () throws(StorageFailure) -> Void,
        commit: @escaping Commit
    ) {
        isItemKept = isKept
        reviewKept = review
        self.bounds = bounds
        self.writer = writer
        self.probe = probe
        self.commit = commit
    }

    var waiting: Int { state.withLock { $0.waitingItems } }

    /// Whether anything was ever written, be it by a probe.
    var hasWritten: Bool { state.withLock { $0.hasWritten } }

    /// Has the writer find out whether the store takes something; the completion is called when that is known.
    func prove(_ completion: @escaping @Sendable () -> Void) {
        writer.async {
            self.look()
            completion()
        }
    }

    private func look() {
        do throws(StorageFailure) {
            try probe()
            note(nil)
        } catch {
            fail([], error)
        }
    }

    /// Why the last commit or probe failed; `nil` when it did not.
    var failure: StorageFailure? { state.withLock { $0.failure } }

    /// Why the store refused a caller's items for their values the last time; `nil` when it never did.
    var refusal: StorageFailure? { state.withLock { $0.refusal } }

    /// Queues items: all in one commit, or none.
    ///
    /// The completion is called once, from any thread.
    ///
    /// Where their commit has not begun by a moment, nothing of them is written, and they go before all others; `nil` for the
    /// deadline of all.
    func append(_ items: [Item], until moment: ContinuousClock.Instant? = nil, completion: @escaping Completion) {
        guard !items.isEmpty else { return completion(.success([])) }
        let request = Request(items, due: .now + bounds.deadline, completion)
        let admission = state.withLock { $0.admit(request, upTo: bounds.waiting, isUrgent: moment != nil) }
        switch admission {
        case .refused(let failure): request.finish(.failure(failure))
        case .queued(let startsWriting, let startsWatching):
            if startsWriting { writer.async { self.writeOn() } }
            if startsWatching { watchDeadlines() }
            guard let moment else { return }
            let left = max(0, ContinuousClock.now.duration(to: moment).seconds)
            watch.asyncAfter(deadline: .now() + left, qos: .userInitiated, flags: .enforceQoS) {
                request.expire(StorageFailure(.tooSlow, "a signature could not be written in time"))
            }
        }
    }

    /// Takes no more, and returns when all that waits is written or has failed.
    func close() {
        state.withLock { $0.isClosed = true }
        writer.sync {
            review()
            while writeNext() {}
            let kept = state.withLock { state in
                defer { state.kept = [] }
                return state.kept
            }
            for request in kept { request.finish(.failure(Self.keptFailure)) }
        }
    }

    /// Writes commit after commit, until nothing waits; other work of the dispatch queue comes between two of them.
    private func writeOn() {
        if writeNext() { writer.async { self.writeOn() } }
    }

    /// Makes a commit; `false` when nothing waits, and then the writer has stopped.
    private func writeNext() -> Bool {
        guard let batch = next() else {
            // The writer is no longer stuck; a probe finds out whether the store works.
            if state.withLock({ $0.failure?.code == .tooSlow && !$0.isClosed }) { look() }
            return false
        }
        do throws(StorageFailure) {
            try writeInHalves(batch[...]) { piece throws(StorageFailure) in
                try write(piece)
            } refused: { request, error in
                state.withLock { $0.refusal = error }
                request.finish(.failure(error))
            }
            note(nil)
        } catch {
            fail(batch, error)
        }
        return true
    }

    /// Writes some of a batch.
    ///
    /// A caller that has timed out gets no record, even if it timed out while the store was busy: a limit must not count
    /// what nobody received.
    private func write(_ piece: ArraySlice<Request>) throws(StorageFailure) {
        let batch = letKeptWait(piece.filter { !$0.isFinished })
        guard !batch.isEmpty else { return }
        do throws(StorageFailure) {
            finish(batch, try commit(batch.flatMap(\.items)) { batch.allSatisfy { $0.beginCommit() } })
        } catch {
            for request in batch { request.takeBack() }
            // The store knows now which items have to wait for others.
            guard error.code == .abandoned || batch.contains(where: isKept) else { throw error }
            try write(batch[...])
        }
    }

    private func isKept(_ request: Request) -> Bool { request.items.contains(where: isItemKept) }

    /// Sets requests aside that would have to wait for other transactions, and gives the rest.
    private func letKeptWait(_ batch: [Request]) -> [Request] {
        let kept = batch.filter(isKept)
        guard !kept.isEmpty else { return batch }
        let isFirst = state.withLock { state in
            defer { state.kept += kept }
            return state.kept.isEmpty
        }
        if isFirst { reviewLater() }
        return batch.filter { request in !kept.contains { $0 === request } }
    }

    private func reviewLater() {
        writer.asyncAfter(deadline: .now() + bounds.review.seconds) { [weak self] in self?.review() }
    }

    /// Reviews the requests that were set aside, and queues those that no longer have to wait.
    private func review() {
        reviewKept()
        let all = state.withLock { state in
            defer { state.kept = [] }
            return state.kept.filter { !$0.isFinished }
        }
        guard !all.isEmpty else { return }
        let free = letKeptWait(all)
        guard !free.isEmpty else { return }
        let startsWriting = state.withLock { state in
            state.waiting += free
            state.waitingItems += free.reduce(0) { $0 + $1.items.count }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if startsWriting { writer.async { self.writeOn() } }
    }

    private static var keptFailure: StorageFailure {
        StorageFailure(
            .tooSlow,
            "another transaction keeps what limits are counted by locked; see pg_locks on the server"
        )
    }

    /// The next commit; `nil` when nothing waits, and then the writer has stopped.
    private func next() -> [Request]? {
        state.withLock { state in
            state.inHand = []
            var count = 0
            var batch: [Request] = []
            var taken = 0
            for request in state.waiting {
                if !batch.isEmpty, count + request.items.count > bounds.commit { break }
                taken += 1
                state.waitingItems -= request.items.count
                if request.isFinished { continue }
                batch.append(request)
                count += request.items.count
            }
            state.waiting.removeFirst(taken)
            state.isWriting = !batch.isEmpty
            state.inHand = batch
            return batch.isEmpty ? nil : batch
        }
    }

    private func finish(_ batch: [Request], _ outcomes: [Outcome]) {
        var start = 0
        for request in batch {
            let end = start + request.items.count
            guard end <= outcomes.count else {
                request.finish(.failure(StorageFailure(.unavailable, "the store answered for too few signatures")))
                continue
            }
            request.finish(.success(Array(outcomes[start..<end])))
            start = end
        }
    }

    /// Fails what was in hand and all that waits, as nothing can be written now, and rests.
    private func fail(_ batch: [Request], _ failure: StorageFailure) {
        note(failure)
        let waiting = state.withLock { state in
            defer {
                state.waiting = []
                state.waitingItems = 0
            }
            return state.waiting
        }
        for request in batch + waiting { request.finish(.failure(failure)) }
        rest()
    }

    /// Tries after a while whether the store works again.
    private func rest() {
        writer.asyncAfter(deadline: .now() + bounds.rest.seconds) { [weak self] in
            guard let self, failure != nil, state.withLock({ !$0.isClosed }) else { return }
            do throws(StorageFailure) {
                try probe()
                note(nil)
                writeOn()
            } catch {
                fail([], error)
            }
        }
    }

    private func note(_ failure: StorageFailure?) {
        state.withLock { state in
            state.failure = failure
            state.hasWritten = state.hasWritten || failure == nil
        }
    }

    /// Fails requests that are past their deadline, as long as any wait.
    private func watchDeadlines() {
        watch.asyncAfter(deadline: .now() + bounds.deadline.seconds / 8) { [weak self] in
            guard let self else { return }
            let failure = StorageFailure(.tooSlow, "a signature was not on durable storage within \(bounds.deadline)")
            let (late, kept, goesOn) = state.withLock { state in
                let now = ContinuousClock.now
                let late = (state.inHand + state.waiting).filter { $0.due <= now && !$0.isFinished }
                // The writer is stuck, with these or with something else: nobody else waits in vain until it has done.
                let isStuck = !late.isEmpty && state.inHand.allSatisfy { $0.due <= now }
                if isStuck { state.failure = state.failure ?? failure }
                let goesOn = !state.inHand.isEmpty || !state.waiting.isEmpty || !state.kept.isEmpty
                state.isWatching = goesOn
                return (late, state.kept.filter { $0.due <= now }, goesOn)
            }
            for request in kept { request.finish(.failure(Self.keptFailure)) }
            for request in late { request.finish(.failure(failure)) }
            if goesOn { watchDeadlines() }
        }
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
