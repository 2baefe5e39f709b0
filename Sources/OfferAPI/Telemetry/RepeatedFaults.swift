package import Logging
import Synchronization

/// Logs what an outage or a stranger can bring a thousand times a second, but not each time: the lines would fill the disk,
/// which is perhaps its cause.
///
/// The first of a kind has a line, with its reason if known. Further ones are counted, and their number is logged from
/// time to time.
package final class RepeatedFaults: Sendable {
    /// The common part of the lines of one kind; the number of kinds is bounded.
    struct Kind: Hashable {
        let level: Logger.Level
        let message: String
        /// Such as `code`, and its value.
        let name: String
        let value: String
    }

    /// The lines of a code within a second.
    private struct Pace {
        let status: Int
        var second: Int64
        var written = 0
        var leftOut = 0
    }

    /// How many refusals of one code have a line in a second.
    static let linesPerSecond = 10

    private let logger: Logger
    private let paces = Mutex<[String: Pace]>([:])
    /// How many more there were of each kind, since the number was last logged.
    private let counts = Mutex<[Kind: Int]>([:])

    package init(logger: Logger) { self.logger = logger }

    /// Writes the line of a client's refused request, of each code only so many a second; the next one says how many were
    /// left out.
    ///
    /// A line that is left out costs no more than its count.
    func logRefusal(
        _ status: Int,
        _ code: String,
        _ more: @autoclosure () -> Logger.Metadata,
        at now: Duration = ClientDirectory.uptime
    ) {
        let second = now.components.seconds
        let leftOut: Int? = paces.withLock { paces in
            var pace = paces[code] ?? Pace(status: status, second: second)
            defer { paces[code] = pace }
            if pace.second != second { (pace.second, pace.written) = (second, 0) }
            guard pace.written < Self.linesPerSecond else {
                pace.leftOut += 1
                return nil
            }
            pace.written += 1
            defer { pace.leftOut = 0 }
            return pace.leftOut
        }
        guard let leftOut else { return }
        writeRefusal(status, code, leftOut, more())
    }

    private func writeRefusal(_ status: Int, _ code: String, _ leftOut: Int, _ more: Logger.Metadata) {
        var metadata = more.merging(["code": "\(code)", "status": .stringConvertible(status)]) { $1 }
        if leftOut > 0 { metadata["leftOut"] = .stringConvertible(leftOut) }
        let isFault = status >= 500
        logger.log(level: isFault ? .error : .notice, "\(isFault ? "cannot answer" : "refused")", metadata: metadata)
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
        let leftOut = paces.withLock { paces in
            defer { paces = [:] }
            return paces.filter { $0.value.leftOut > 0 }
        }
        for (code, pace) in leftOut.sorted(by: { $0.key < $1.key }) {
            writeRefusal(pace.status, code, pace.leftOut, [:])
        }
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
