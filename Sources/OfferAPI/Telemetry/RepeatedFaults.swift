package import Logging
import Synchronization

/// Logs which faults keep requests from being answered, and not each request: in an outage there are thousands a second,
/// and their lines would fill the disk that is perhaps the reason of it.
///
/// The first request of a fault has a line with its name, and its reason where that is known; those after it are counted,
/// and their number is logged from time to time.
package final class RepeatedFaults: Sendable {
    private let logger: Logger
    /// How many requests each fault has kept from an answer, by its code, since the number was logged last.
    private let counts = Mutex<[String: Int]>([:])

    /// Creates it before anything has failed.
    ///
    /// - Parameter logger: Where faults are logged.
    package init(logger: Logger) { self.logger = logger }

    /// Takes note of a request of the current task that could not be answered.
    func note(_ problem: Problem) {
        let isFirst = counts.withLock { counts in
            guard let count = counts[problem.code] else {
                counts[problem.code] = 0
                return true
            }
            counts[problem.code] = count + 1
            return false
        }
        guard isFirst else { return }
        var metadata: Logger.Metadata = ["code": "\(problem.code)"]
        if let reason = problem.reason { metadata["reason"] = "\(reason)" }
        logger.error("cannot answer", metadata: metadata)
    }

    /// Logs how many requests have failed since this was called last, beside those with a line of their own.
    ///
    /// A fault that did not come again is over: the next request that it befalls has a line again.
    package func logCounts() {
        let news = counts.withLock { counts in
            let news = counts
            counts = counts.compactMapValues { $0 > 0 ? 0 : nil }
            return news
        }
        for (code, count) in news.sorted(by: { $0.key < $1.key }) where count > 0 {
            logger.error("cannot answer", metadata: ["code": "\(code)", "more": .stringConvertible(count)])
        }
    }
}
