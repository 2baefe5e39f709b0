package import Logging
import Synchronization

/// Logs what an outage or a stranger can bring a thousand times a second, but not each time: the lines would fill the disk,
/// which is perhaps its cause.
///
/// The first of a kind has a line, with its reason if known. Further ones are counted, and their number is logged from
/// time to time.
package final class RepeatedFaults: Sendable {
    /// What the lines of one kind have in common; there are only so many kinds.
    struct Kind: Hashable {
        let level: Logger.Level
        let message: String
        /// Such as `code`, and its value.
        let name: String
        let value: String
    }

    private let logger: Logger
    /// How many more there were of each kind, since the number was last logged.
    private let counts = Mutex<[Kind: Int]>([:])

    package init(logger: Logger) { self.logger = logger }

    /// Records a request of the current task that could not be answered.
    func note(_ problem: Problem) {
        let reason: Logger.Metadata = problem.reason.map { ["reason": "\($0)"] } ?? [:]
        log(Kind(level: .error, message: "cannot answer", name: "code", value: problem.code), reason)
    }

    /// Writes the first line of a kind, with more of its metadata; others are counted.
    func log(_ kind: Kind, _ more: Logger.Metadata = [:]) {
        guard isFirst(kind) else { return }
        let metadata = more.merging([kind.name: "\(kind.value)"]) { $1 }
        logger.log(level: kind.level, "\(kind.message)", metadata: metadata)
    }

    /// Whether a line of the kind is to be written; else it is counted.
    func isFirst(_ kind: Kind) -> Bool {
        counts.withLock { counts in
            guard let count = counts[kind] else {
                counts[kind] = 0
                return true
            }
            counts[kind] = count + 1
            return false
        }
    }

    /// Logs how many more there were of each kind since the last call, beside those with a line of their own.
    ///
    /// A kind that did not come again is over: the next of it has a line again.
    package func logCounts() {
        let news = counts.withLock { counts in
            let news = counts
            counts = counts.compactMapValues { $0 > 0 ? 0 : nil }
            return news
        }
        for (kind, count) in news.sorted(by: { ($0.key.message, $0.key.value) < ($1.key.message, $1.key.value) })
        where count > 0 {
            let metadata: Logger.Metadata = [kind.name: "\(kind.value)", "more": .stringConvertible(count)]
            logger.log(level: kind.level, "\(kind.message)", metadata: metadata)
        }
    }
}
