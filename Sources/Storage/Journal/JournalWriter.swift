import Dispatch
import Offers
import Synchronization

/// An entry of the journal that an answer waits for.
enum JournalEntry: Sendable {
    // Indirect, as an entry is handed on from array to array, with all that it refers to.
    indirect case signatures(LedgerEntry)
    indirect case notification(StateWork)
    case reports(ReportedProducts)
}

enum JournalOutcome: Sendable {
    case signatures([GrantOutcome])
    case notification(isNew: Bool)
    case reports([Bool])
}

/// Makes the journal's transactions, on its thread: the entries that answers wait for, and what rides along.
///
/// State from evidence, and statistics, ride along in the room that a commit has. If they cannot be written they refuse
/// no entry: the commit is made again without them, and they are tried by themselves.
final class JournalWriter: Sendable {
    /// The most entries of a commit in which there is room for what evidence has shown.
    private static let fewEntries = 768

    private struct Ride {
        var works: [StateWork] = []
        var statistics: StatisticsBatch?

        var isEmpty: Bool { works.isEmpty && statistics == nil }
    }

    private struct State {
        /// Whether the riders have to be tried by themselves first.
        var ridesAlone = false
        var isScheduled = false
        /// Why the riders could not be written the last time; `nil` where they could.
        var failure: StorageFailure?
    }

    let store: LedgerStore
    let held: HeldStates
    let statistics: Statistics
    let observer = CommitObserver()
    let shared = SuspectEvidence()
    private let queue: DispatchQueue
    private let linger: DispatchTimeInterval
    private let state = Mutex(State())

    init(
        _ store: LedgerStore,
        _ held: HeldStates,
        _ statistics: Statistics,
        on queue: DispatchQueue,
        linger: DispatchTimeInterval
    ) {
        self.store = store
        self.held = held
        self.statistics = statistics
        self.queue = queue
        self.linger = linger
    }

    /// Why what rides along could not be written the last time; `nil` where it could.
    var failure: StorageFailure? { state.withLock(\.failure) }

    /// Writes entries in one transaction, with what rides along.
    func commit(
        _ entries: [JournalEntry],
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StorageFailure) -> [JournalOutcome?] {
        let ride = ride(besides: entries.count)
        if !ride.isEmpty {
            do throws(StorageFailure) {
                let (outcomes, news) = try write(entries, ride, mayRedeem: false, while: isWanted)
                rode(ride, news)
                return outcomes
            } catch {
                putBack(ride, error)
                // Only after these is it certain that nothing was written.
                guard [.refused, .locked, .malformed].contains(error.code) else { throw error }
                state.withLock { $0.ridesAlone = true }
                queue.async { self.writeRiders() }
            }
        }
        return try write(entries, Ride(), mayRedeem: false, while: isWanted).outcomes
    }

    /// Has what rides along written before long, if no commit takes it meanwhile.
    func writeRidersSoon() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { schedulePoll() }
    }

    private func schedulePoll() {
        let taken = held.taken
        queue.asyncAfter(deadline: .now() + linger) {
            guard let now = self.held.taken else { return self.state.withLock { $0.isScheduled = false } }
            if now == taken, self.failure == nil { self.writeRiders() }
            self.schedulePoll()
        }
    }

    /// Writes all that rides along by itself, down to the work that the store refuses, until nothing waits or nothing can be
    /// written: then the journal's upkeep tries again.
    func writeRiders(isLast: Bool = false) {
        state.withLock { $0.ridesAlone = false }
        var isDone = false
        while !isDone {
            let ride = Ride(works: held.dequeueBatch(), statistics: statistics.dequeueBatch(isLast: isLast))
            guard !ride.isEmpty else { return }
            do throws(StorageFailure) {
                isDone = try writeAlone(ride)
                state.withLock { $0.failure = nil }
            } catch {
                putBack(ride, error)
                return state.withLock { $0.failure = error }
            }
        }
    }

    /// Gives whether works are left that have to wait for other transactions.
    private func writeAlone(_ ride: Ride) throws(StorageFailure) -> Bool {
        var (aside, isDue) = ([StateWork](), true)
        var refused: Set<Int> = []
        try writeInHalves(Array(ride.works.indices)[...]) { piece throws(StorageFailure) in
            let works = piece.map { ride.works[$0] }
            let news = try write([], Ride(works: works), mayRedeem: true) { true }.news
            for (work, isNew) in zip(works, news) {
                if isNew == nil { aside.append(work) }
                if isNew == false { isDue = false }
            }
        } refused: { place, error in
            refused.insert(place)
            held.refused(error, beside: ride.works.indices.filter { !refused.contains($0) }.map { ride.works[$0] })
        }
        if let batch = ride.statistics {
            _ = try write([], Ride(statistics: batch), mayRedeem: true) { true }
        }
        held.wrote(leavingOut: aside, isDue: isDue)
        if !aside.isEmpty { writeRidersSoon() }
        return !aside.isEmpty
    }

    private func ride(besides count: Int) -> Ride {
        guard !state.withLock(\.ridesAlone) else { return Ride() }
        return Ride(works: count <= Self.fewEntries ? held.dequeueBatch() : [], statistics: statistics.dequeueBatch())
    }

    private func rode(_ ride: Ride, _ news: ArraySlice<Bool?>) {
        guard !ride.works.isEmpty else { return }
        let aside = zip(ride.works, news).filter { $0.1 == nil }.map(\.0)
        held.wrote(leavingOut: aside, isDue: !news.contains(false))
        if !aside.isEmpty { writeRidersSoon() }
    }

    private func putBack(_ ride: Ride, _ failure: StorageFailure) {
        held.requeueBatch()
        if let batch = ride.statistics { statistics.putBack(batch, failure) }
    }

    /// One transaction; gives the entries' outcomes, and of each work that rides along whether it was new.
    private func write(
        _ entries: [JournalEntry],
        _ ride: Ride,
        mayRedeem: Bool,
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StorageFailure) -> (outcomes: [JournalOutcome?], news: ArraySlice<Bool?>) {
        let start = ContinuousClock.now
        var signatures: [LedgerEntry] = []
        var works: [StateWork] = []
        var companion = CompanionWork(statistics: ride.statistics)
        signatures.reserveCapacity(entries.count)
        for entry in entries {
            switch entry {
            case .signatures(let entry): signatures.append(entry)
            case .notification(let work): works.append(work)
            case .reports(let reports): companion.reports.append(reports)
            }
        }
        if !works.isEmpty || !ride.works.isEmpty {
            companion.states = held.store.merge(of: works + ride.works, mayRedeem: mayRedeem)
        }
        let (recorded, beside) = try store.commit(signatures, beside: companion, while: isWanted)
        if beside.lacksStatistics, let batch = ride.statistics { statistics.putBack(batch) }
        if !signatures.isEmpty {
            observer.report(signatures, recorded, .now - start)
            shared.add(signatures, recorded)
        }
        var (grants, news, reports) = (recorded[...], beside.states[...], beside.reports[...])
        let outcomes = entries.map { entry -> JournalOutcome? in
            switch entry {
            case .signatures: (grants.popFirst() ?? nil).map(JournalOutcome.signatures)
            case .notification: (news.popFirst() ?? nil).map(JournalOutcome.notification)
            case .reports: (reports.popFirst() ?? nil).map(JournalOutcome.reports)
            }
        }
        return (outcomes, news)
    }
}

/// Reports how long each commit took, and how many records it wrote.
final class CommitObserver: Sendable {
    /// A function in a value of its own: by itself it would be wrapped once more at each look at what the mutex guards,
    /// which is generic, and the wrappings would pile up.
    private struct Observer {
        let report: @Sendable (Duration, Int) -> Void
    }

    private let observer = Mutex<Observer?>(nil)

    func observe(_ observe: @escaping @Sendable (Duration, Int) -> Void) {
        observer.withLock { $0 = Observer(report: observe) }
    }

    func report(_ entries: [LedgerEntry], _ outcomes: [[GrantOutcome]?], _ duration: Duration) {
        guard let observer = observer.withLock({ $0 }) else { return }
        var records = 0
        // Indices avoid copies of an entry or a grant with all that it refers to.
        for index in 0..<min(entries.count, outcomes.count) {
            guard let outcomes = outcomes[index] else { continue }
            for place in 0..<min(entries[index].grants.count, outcomes.count) where outcomes[place] == .recorded {
                records += entries[index].grants[place].signatures.count
            }
        }
        observer.report(duration, records)
    }
}
