import Foundation
import LoadGenerator
import Synchronization

/// One line on a terminal that says how the run goes; nothing anywhere else.
final class LoadProgress: Sendable {
    private let isShown: Bool
    private let hasLine = Mutex(false)

    /// Creates the line; nothing is shown yet.
    ///
    /// - Parameter isShown: Whether it is wanted.
    init(isShown: Bool) {
        self.isShown = isShown && isatty(STDERR_FILENO) == 1
    }

    /// Shows what is done before the run.
    ///
    /// - Parameter work: The work, in a few words.
    func show(preparation work: String) {
        guard isShown else { return }
        hasLine.withLock { $0 = true }
        write("\r\u{1B}[Kpreparing: \(work)")
    }

    /// Shows what a second brought.
    ///
    /// - Parameter second: The second.
    func show(_ second: LoadSecond) {
        guard isShown else { return }
        func milliseconds(_ percentile: Double) -> String {
            let latency = Double(second.latency.value(atPercentile: percentile)) / 1e6
            return second.latency.count == 0 ? "-" : String(format: "%.2f", latency)
        }
        let phase = second.isWarmUp ? "warm-up " : ""
        hasLine.withLock { $0 = true }
        write(
            "\r\u{1B}[K\(second.index + 1) s  \(phase)\(second.fulfilled) requests, \(second.signatures) signatures, "
                + "p50 \(milliseconds(50)) ms, p99 \(milliseconds(99)) ms, \(second.failed) errors"
        )
    }

    /// Takes the line away.
    func clear() {
        if hasLine.withLock({ $0 }) { write("\r\u{1B}[K") }
    }

    /// The run is worth more than its line.
    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
