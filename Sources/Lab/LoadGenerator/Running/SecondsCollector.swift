import Synchronization

/// Puts the seconds of the event loops together.
final class SecondsCollector: Sendable {
    private struct State {
        /// The seconds that not all event loops have reported yet, with how many have.
        var pending: [Int: (second: LoadSecond, parts: Int)] = [:]
        /// The last second of each event loop that has finished.
        var lastOnes: [Int] = []
        var seconds: [LoadSecond] = []
    }

    private let lanes: Int
    private let state = Mutex(State())
    private let report: @Sendable (LoadSecond) -> Void

    init(lanes: Int, report: @escaping @Sendable (LoadSecond) -> Void) {
        self.lanes = lanes
        self.report = report
    }

    var complete: [LoadSecond] { state.withLock { $0.seconds.sorted { $0.index < $1.index } } }

    func add(_ part: LoadSecond) {
        change { state in
            guard var entry = state.pending[part.index] else {
                state.pending[part.index] = (part, 1)
                return
            }
            entry.second.fulfilled += part.fulfilled
            entry.second.signatures += part.signatures
            entry.second.failed += part.failed
            entry.second.latency.add(part.latency)
            entry.parts += 1
            state.pending[part.index] = entry
        }
    }

    /// Waits no longer for an event loop, which has finished with this second, -1 for none; others may have answers to
    /// wait for.
    func finish(after last: Int) { change { $0.lastOnes.append(last) } }

    private func change(_ change: (inout State) -> Void) {
        let whole = state.withLock { state in
            change(&state)
            let whole = state.pending.filter { index, entry in
                entry.parts == lanes - state.lastOnes.count { $0 < index }
            }
            for index in whole.keys { state.pending[index] = nil }
            let seconds = whole.values.map(\.second).sorted { $0.index < $1.index }
            state.seconds += seconds
            return seconds
        }
        for second in whole { report(second) }
    }
}

/// The outcome of one second of a run, also of the warm-up.
package struct LoadSecond: Equatable, Sendable {
    package internal(set) var index: Int
    package internal(set) var isWarmUp: Bool
    /// Requests that brought every signature asked for.
    package internal(set) var fulfilled = 0
    package internal(set) var signatures = 0
    package internal(set) var failed = 0
    /// The latencies of those that were fulfilled, in nanoseconds.
    package internal(set) var latency = Histogram()

    var hasContent: Bool { fulfilled + signatures + failed > 0 }
}
