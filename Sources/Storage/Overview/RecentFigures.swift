import Dispatch
package import Offers

/// The newest records, for somebody who looks at the service: each figure is read in bounded work.
///
/// No chain is walked along, and of what may be many the newest are read.
package struct RecentFigures: Sendable {
    /// Decisions of one kind on one day, counted from 1970-01-01 on.
    package struct DayDecisions: Sendable {
        package let day: Int64
        package let decision: CountedDecision
        package let count: Int
    }

    package struct DayRedemptions: Sendable {
        package let day: Int64
        package let offer: FunnelFigures.Offer
        /// As it is on record.
        package let environment: String
        package let count: Int
    }

    package struct Chain: Sendable {
        package let writer: String
        package let startedAt: Timestamp
        /// How many of its records are there, by the numbers of the first and the last.
        package let records: Int64
        package let isEnded: Bool
    }

    package internal(set) var decisions: [DayDecisions] = []
    package internal(set) var redemptions: [DayRedemptions] = []
    /// Whether there were more decisions or redemptions than are read.
    package internal(set) var isCut = false
    /// The newest chains, the newest first.
    package internal(set) var chains: [Chain] = []
    package internal(set) var chainCount: Int64 = 0
    /// When the newest checkpoint was signed; `nil` before the first.
    package internal(set) var checkpointAt: Timestamp?
    package internal(set) var bytes: Int64 = 0
    /// The result of the last `ledger verify`; `nil` where none has noted it.
    package internal(set) var lastVerification: NotedVerification?

    package init() {}

    /// How many rows are read of what may be many.
    static let mostRows: Int64 = 50_000
    static let mostChains: Int64 = 1000
}

/// The result of a verification of the ledger, as it noted it in the database when it ended.
///
/// It is a note and proves nothing: who can write the database can write it, too.
package struct NotedVerification: Equatable, Sendable {
    package let at: Timestamp
    package let chains: Int64
    package let records: Int64
    package let faults: Int64

    package init(at: Timestamp, chains: Int64, records: Int64, faults: Int64) {
        self.at = at
        self.chains = chains
        self.records = records
        self.faults = faults
    }
}

extension SQLDatabase {
    /// Reads what is on record lately: decisions and redemptions from the day of a moment on.
    package func recentFigures(since moment: Timestamp) async throws(StorageFailure) -> RecentFigures {
        try await DispatchQueue.global(qos: .utility).perform { () throws(StorageFailure) in
            try readRecentFigures(since: moment)
        }
    }

    private func readRecentFigures(since moment: Timestamp) throws(StorageFailure) -> RecentFigures {
        let day = FunnelPeriod.day(of: moment)
        let start = FunnelPeriod(since: moment, until: nil).start ?? moment
        let most = SQLValue.integer(RecentFigures.mostRows)
        return try read { session throws(StorageFailure) in
            let answers = try session.run([
                SQLCall(OverviewSQL.decisions, .integer(day), most),
                SQLCall(OverviewSQL.redemptions, .time(start), most),
                SQLCall(OverviewSQL.chains, .integer(RecentFigures.mostChains)),
                SQLCall(OverviewSQL.chainCount), SQLCall(OverviewSQL.checkpoint), SQLCall(OverviewSQL.verification),
                SQLCall(OverviewSQL.size(in: session.dialect)),
            ])
            var figures = RecentFigures()
            for row in answers[0].rows {
                if let decisions = try answers[0].dayDecisions(row) { figures.decisions.append(decisions) }
            }
            for row in answers[1].rows { figures.redemptions.append(try answers[1].dayRedemptions(row)) }
            let redeemed = figures.redemptions.reduce(0) { $0 + $1.count }
            figures.isCut = max(answers[0].count, redeemed) >= RecentFigures.mostRows
            for row in answers[2].rows { figures.chains.append(try answers[2].recentChain(row)) }
            figures.chainCount = try answers[3].integer(0, 0)
            if answers[4].count > 0 { figures.checkpointAt = try answers[4].time(0, 0) }
            if answers[5].count > 0 {
                figures.lastVerification = NotedVerification(
                    at: try answers[5].time(0, 0),
                    chains: try answers[5].integer(0, 1),
                    records: try answers[5].integer(0, 2),
                    faults: try answers[5].integer(0, 3)
                )
            }
            figures.bytes = try answers[6].optionalInteger(0, 0) ?? 0
            return figures
        }
    }

    package func record(_ verification: NotedVerification) throws(StorageFailure) {
        let values = [
            verification.at.millisecondsSince1970, verification.chains, verification.records, verification.faults,
        ].map { SQLValue.integer($0) }
        try transaction(.beside) { session throws(StorageFailure) in
            try session.send(SQLCall(OverviewSQL.putVerification, values))
        }
    }
}

extension Rows {
    /// A row of decisions; `nil` for what a newer version counts by another name.
    fileprivate func dayDecisions(_ row: Int) throws(StorageFailure) -> RecentFigures.DayDecisions? {
        guard let call = DecisionCall(rawValue: try text(row, 5)), let reason = Reason(rawValue: try text(row, 6))
        else { return nil }
        let offer = try offer(row, from: 1)
        return RecentFigures.DayDecisions(
            day: try integer(row, 0),
            decision: CountedDecision(
                reason,
                of: offer.request,
                bundleId: offer.bundleId,
                environment: AppStoreEnvironment(rawValue: try text(row, 4)),
                call: call
            ),
            count: Int(try integer(row, 7))
        )
    }

    fileprivate func dayRedemptions(_ row: Int) throws(StorageFailure) -> RecentFigures.DayRedemptions {
        RecentFigures.DayRedemptions(
            day: try integer(row, 0),
            offer: try offer(row, from: 1),
            environment: try text(row, 4),
            count: Int(try integer(row, 5))
        )
    }

    fileprivate func recentChain(_ row: Int) throws(StorageFailure) -> RecentFigures.Chain {
        var records: Int64 = 0
        if let first = try optionalInteger(row, 2), let last = try optionalInteger(row, 3) {
            // Of signatures: those of configurations are few, and counted.
            records = max(0, LedgerChain.count(from: first, to: last) - (try integer(row, 5)))
        }
        return RecentFigures.Chain(
            writer: try text(row, 0),
            startedAt: try time(row, 1),
            records: records,
            isEnded: try integer(row, 4) > 0
        )
    }
}
