import Dispatch
import Offers
import Synchronization

/// Many callers, one writer: all that is queued during a commit goes into the next one.
///
/// It does not wait for more items. Only the writer blocks, on its own dispatch queue. A caller gets one outcome for each
/// item: after the commit that holds it, or at its deadline if that comes first.
final class GroupCommit<Item: Sendable, Outcome: Sendable>: Sendable {
    /// Called with the outcomes of a caller's items at these places, mostly of all at once; for each place once.
    typealias Completion = @Sendable (_ places: [Int], Result<[Outcome], StorageFailure>) -> Void

    /// Writes items, and returns when they are on durable storage, with an outcome for each; `nil` for one that was left
    /// out, as it would have had to wait for another transaction.
    ///
    /// Just before the end of the transaction it asks whether the items are still wanted: if not, it rolls back and
    /// throws ``StorageFailure/abandoned``.
    typealias Commit =
        @Sendable (
            _ items: [Item],
            _ isWanted: @escaping @Sendable () -> Bool
        ) throws(StorageFailure) -> [Outcome?]

    /// How much may wait, and for how long.
    struct Bounds: Sendable {
        /// The most items that wait to be written.
        var waiting = 16_384
        /// The most items of one commit.
        var commit = 1024
        /// How long an item may take until it is on durable storage; a patient one may take as much longer.
        var deadline = Duration.seconds(2)
        var patience = Duration.seconds(18)
        /// How long items that would have to wait for other transactions are set aside before they are tried again.
        var pause = Duration.milliseconds(5)
        /// How long the writer rests after a failure before it tries to write again.
        var rest = Duration.seconds(1)
    }

    private struct State {
        var waiting: [Request] = []
        var waitingItems = 0
        var inHand: [Request] = []
        /// The requests that are set aside, as they would have to wait for other transactions.
        var aside: [Request] = []
        /// When they are tried again.
        var asideDue = ContinuousClock.now
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
            guard waitingItems + request.count <= limit else {
                return .refused(StorageFailure(.full, "\(waitingItems) requests wait to be written"))
            }
            waiting.insert(request, at: isUrgent ? 0 : waiting.count)
            waitingItems += request.count
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
    private let writer: DispatchQueue
    private let watch = DispatchQueue(label: "ledger.deadlines")

    /// Writes nothing yet; then commits and probes on this queue, one at a time.
    ///
    /// A probe writes a little, to find out whether the store takes it again.
    init(
        bounds: Bounds,
        on writer: DispatchQueue,
        probe: @escaping @Sendable () throws(StorageFailure) -> Void,
        commit: @escaping Commit
    ) {
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
            self.probeStore()
            completion()
        }
    }

    private func probeStore() {
        do throws(StorageFailure) {
            try probe()
            record(failure: nil)
        } catch {
            fail([], error)
        }
    }

    /// Why the last commit or probe failed; `nil` when it did not.
    var failure: StorageFailure? { state.withLock { $0.failure } }

    /// Why the store refused a caller's items for their values the last time; `nil` when it never did.
    var refusal: StorageFailure? { state.withLock { $0.refusal } }

    /// Queues items, which go into one commit but for those that would have to wait for other transactions.
    ///
    /// The completion is called from any thread.
    ///
    /// Where their commit has not begun by a moment, nothing of them is written, and they go before all others; `nil` for the
    /// deadline of all, or of those that are patient.
    func append(
        _ items: [Item],
        until moment: ContinuousClock.Instant? = nil,
        isPatient: Bool = false,
        completion: @escaping Completion
    ) {
        guard !items.isEmpty else { return }
        let request = Request(
            items,
            due: .now + bounds.deadline,
            patience: isPatient ? bounds.patience : .zero,
            completion
        )
        let admission = state.withLock { $0.admit(request, upTo: bounds.waiting, isUrgent: moment != nil) }
        switch admission {
        case .refused(let failure): request.fail(failure)
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
            while writeNext() {}
            state.withLock { $0.asideDue = .now }
            _ = writeNext()
            let aside = state.withLock { state in
                defer { state.aside = [] }
                return state.aside
            }
            for request in aside { request.fail(Self.lockedFailure) }
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
            if state.withLock({ $0.failure?.code == .tooSlow && !$0.isClosed }) { probeStore() }
            return false
        }
        do throws(StorageFailure) {
            try writeInHalves(batch[...]) { piece throws(StorageFailure) in
                try write(piece)
            } refused: { request, error in
                state.withLock { $0.refusal = error }
                request.fail(error)
            }
            record(failure: nil)
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
        while true {
            let batch = piece.filter { !$0.isFinished }
            guard !batch.isEmpty else { return }
            do throws(StorageFailure) {
                return settle(batch, try commit(batch.flatMap(\.items)) { batch.allSatisfy { $0.beginCommit() } })
            } catch {
                for request in batch { request.abortCommit() }
                guard error.code == .abandoned else { throw error }
            }
        }
    }

    /// Reports outcomes, and sets requests aside of which something would have had to wait for other transactions.
    private func settle(_ batch: [Request], _ outcomes: [Outcome?]) {
        var (start, aside) = (0, [Request]())
        for request in batch {
            let end = start + request.count
            guard end <= outcomes.count else {
                request.fail(StorageFailure(.unavailable, "the store answered for too few signatures"))
                continue
            }
            if request.settle(outcomes[start..<end]) { aside.append(request) }
            start = end
        }
        guard !aside.isEmpty else { return }
        state.withLock { state in
            state.aside += aside
            state.asideDue = .now + bounds.pause
        }
        writer.asyncAfter(deadline: .now() + bounds.pause.seconds) { [weak self] in self?.writeOn() }
    }

    private static var lockedFailure: StorageFailure {
        StorageFailure(
            .tooSlow,
            "another transaction keeps what limits are counted by locked; see pg_locks on the server"
        )
    }

    /// The next commit; `nil` when nothing waits, and then the writer has stopped.
    private func next() -> [Request]? {
        state.withLock { state in
            var batch: [Request] = []
            if state.asideDue <= .now {
                batch = state.aside.filter { !$0.isFinished }
                state.aside = []
            }
            var count = batch.reduce(0) { $0 + $1.count }
            var taken = 0
            for request in state.waiting {
                if !batch.isEmpty, count + request.count > bounds.commit { break }
                taken += 1
                state.waitingItems -= request.count
                if request.isFinished { continue }
                batch.append(request)
                count += request.count
            }
            state.waiting.removeFirst(taken)
            state.isWriting = !batch.isEmpty
            state.inHand = batch
            return batch.isEmpty ? nil : batch
        }
    }

    /// Fails what was in hand and all that waits, as nothing can be written now, and rests.
    private func fail(_ batch: [Request], _ failure: StorageFailure) {
        record(failure: failure)
        let waiting = state.withLock { state in
            defer {
                state.waiting = []
                state.waitingItems = 0
            }
            return state.waiting
        }
        for request in batch + waiting { request.fail(failure) }
        rest()
    }

    /// Tries after a while whether the store works again.
    private func rest() {
        writer.asyncAfter(deadline: .now() + bounds.rest.seconds) { [weak self] in
            guard let self, failure != nil, state.withLock({ !$0.isClosed }) else { return }
            do throws(StorageFailure) {
                try probe()
                record(failure: nil)
                writeOn()
            } catch {
                fail([], error)
            }
        }
    }

    private func record(failure: StorageFailure?) {
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
            let (late, aside, goesOn) = state.withLock { state in
                let now = ContinuousClock.now
                let late = (state.inHand + state.waiting).filter { $0.end <= now && !$0.isFinished }
                // The writer is stuck, with these or with something else: nobody else waits in vain until it has done.
                let isStuck = late.contains { !$0.wasSetAside } && state.inHand.allSatisfy { $0.due <= now }
                if isStuck { state.failure = state.failure ?? failure }
                let goesOn = !state.inHand.isEmpty || !state.waiting.isEmpty || !state.aside.isEmpty
                state.isWatching = goesOn
                return (late, state.aside.filter { $0.end <= now }, goesOn)
            }
            for request in aside { request.fail(Self.lockedFailure) }
            for request in late { request.fail(request.wasSetAside ? Self.lockedFailure : failure) }
            if goesOn { watchDeadlines() }
        }
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
