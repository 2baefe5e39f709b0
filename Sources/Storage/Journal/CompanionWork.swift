import Offers

/// The writes of a transaction beside records of signatures: what Apple said, product reports and statistics.
struct CompanionWork: Sendable {
    struct Outcome: Sendable {
        /// Of each work of states, whether it was new; `nil` for one that was left out.
        var states: [Bool?] = []
        /// Of each call's reports, which were stored; `nil` for a call that was left out.
        var reports: [[Bool]?] = []
        /// Whether statistics were left out.
        var lacksStatistics = false
    }

    var states: StateMerge?
    var reports: [ReportedProducts] = []
    var statistics: StatisticsBatch?

    /// Rows of ``LockRows``.
    var locks: Set<Int64> {
        let own = reports.map(\.lock) + (statistics == nil ? [] : [StatisticsBatch.lock])
        return (states?.locks ?? []).reduce(into: Set(own)) { $0.formUnion($1) }
    }

    /// Questions whose answers ``run(_:_:_:)`` needs.
    var questions: [SQLCall] { states?.questions ?? [] }

    /// Writes all but what needs one of the rows that other transactions have.
    func run(
        _ session: any Session,
        _ answers: ArraySlice<Rows>,
        _ locked: Set<Int64>
    ) throws(StorageFailure) -> Outcome {
        var outcome = Outcome()
        if let states {
            let aside = locked.isEmpty ? [] : states.locks.indices.filter { !states.locks[$0].isDisjoint(with: locked) }
            outcome.states = try states.run(session, answers, leavingOut: Set(aside))
        }
        outcome.reports = try reports.map { one throws(StorageFailure) in
            locked.contains(one.lock) ? nil : try session.store(one)
        }
        outcome.lacksStatistics = statistics != nil && locked.contains(StatisticsBatch.lock)
        if !outcome.lacksStatistics { try statistics?.write(to: session) }
        return outcome
    }
}
