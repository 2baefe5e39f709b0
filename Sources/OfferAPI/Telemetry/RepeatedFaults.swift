package import Logging
import Synchronization

/// Logs each fault that keeps requests from an answer, but not each request: an outage has thousands a second, and
/// their lines would fill the disk that is perhaps its cause.
///
/// The first request of a fault has a line with its name, and its reason if known. Further ones are counted, and their
/// number is logged from time to time.
package final class RepeatedFaults: Sendable {
    private let logger: Logger
    /// Unanswered requests by the fault's code, since the number was last logged.
    private let counts = Mutex<[String: Int]>([:])

    package init(logger: Logger) { self.logger = logger }

    /// Records a request of the current task that could not be answered.
    func note(_ problem: Problem) {
        guard isFirst(problem.code) else { return }
        var metadata: Logger.Metadata = ["code": "\(problem.code)"]
        if let reason = problem.reason { metadata["reason"] = "\(reason)" }
        logger.error("cannot answer", metadata: metadata)
    }

    /// Whether a request has a line of its own; else it is counted.
    func isFirst(_ code: String) -> Bool {
        counts.withLock { counts in
            guard let count = counts[code] else {
                counts[code] = 0
                return true
            }
            counts[code] = count + 1
            return false
        }
    }

    /// Logs the number of requests that have failed since the last call, beside those with a line of their own.
    ///
    /// A fault that did not come again is over: its next request has a line again.
    package func logCounts() {
        let news = counts.withLock { counts in
            let news = counts
            counts = counts.compactMapValues { $0 > 0 ? 0 : nil }
            return news
        }
        for (code, count) in news.sorted(by: { $0.key < $1.key }) where count > 0 {
            let isStrangers = code == Problem.unauthorizedCode
            logger.log(
                level: isStrangers ? .info : .error,
                isStrangers ? "requests of nobody who is known" : "cannot answer",
                metadata: ["code": "\(code)", "more": .stringConvertible(count)]
            )
        }
    }
}
