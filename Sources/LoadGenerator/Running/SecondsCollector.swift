import Synchronization

/// Puts the seconds of the event loops together.
final class SecondsCollector: Sendable {
    private struct Pending {
        var second: LoadSecond
        var missing: Int
    }

    private let lanes: Int
    private let pending = Mutex<[Int: Pending]>([:])
    private let seconds = Mutex<[LoadSecond]>([])
    private let report: @Sendable (LoadSecond) -> Void

    /// Creates a collector.
    ///
    /// - Parameters:
    ///   - lanes: How many event loops report.
    ///   - report: Called with each second once all of them have.
    init(lanes: Int, report: @escaping @Sendable (LoadSecond) -> Void) {
        self.lanes = lanes
        self.report = report
    }

    /// The seconds that were complete, in order.
    var complete: [LoadSecond] { seconds.withLock { $0.sorted { $0.index < $1.index } } }

    /// Takes one event loop's part of a second.
    ///
    /// - Parameter part: The part.
    func add(_ part: LoadSecond) {
        let whole = pending.withLock { pending -> LoadSecond? in
            var entry = pending[part.index] ?? Pending(second: part, missing: lanes)
            if entry.missing < lanes {
                entry.second.fulfilled += part.fulfilled
                entry.second.signatures += part.signatures
                entry.second.failed += part.failed
                entry.second.latency.add(part.latency)
            }
            entry.missing -= 1
            pending[part.index] = entry.missing == 0 ? nil : entry
            return entry.missing == 0 ? entry.second : nil
        }
        guard let whole else { return }
        seconds.withLock { $0.append(whole) }
        report(whole)
    }
}
