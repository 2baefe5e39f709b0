import Foundation
import Glibc
import LoadGenerator
import Synchronization
import UnixSignals

/// One line on a terminal that says how the run goes; nothing anywhere else.
final class LoadProgress: Sendable {
    private let isShown: Bool
    private let hasLine = Mutex(false)

    init(isShown: Bool) {
        self.isShown = isShown && isatty(STDERR_FILENO) == 1
    }

    func show(preparation work: String) {
        guard isShown else { return }
        hasLine.withLock { $0 = true }
        write("\r\u{1B}[Kpreparing: \(work)")
    }

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

    func clear() {
        if hasLine.withLock({ $0 }) { write("\r\u{1B}[K") }
    }

    /// A fault is passed over: the run is worth more than its line.
    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

/// A request to stop, which may come before there is anything to be stopped, and again when that takes long.
final class LoadStop: Sendable {
    private struct State {
        var requests = 0
        var action: (@Sendable (_ again: Bool) -> Void)?
    }

    private let state = Mutex(State())

    var isRequested: Bool { state.withLock { $0.requests > 0 } }

    /// The signals that ask for it: a terminal that goes is none where nohup has said so.
    static var signals: [UnixSignal] {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        let isIgnored =
            unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        return isIgnored ? [.sigint, .sigterm] : [.sighup, .sigint, .sigterm]
    }

    func request() {
        let (action, again) = state.withLock { state in
            state.requests += 1
            return (state.action, state.requests > 1)
        }
        action?(again)
    }

    /// The action is called each time that the stop is asked for, and at once when it was asked for already.
    func whenRequested(_ action: @escaping @Sendable (_ again: Bool) -> Void) {
        let requests = state.withLock { state in
            state.action = action
            return state.requests
        }
        if requests > 0 { action(requests > 1) }
    }

    /// Does work that gives up when its task is cancelled: the stop cancels it.
    func cancelling<Value: Sendable, Fault: Error>(
        _ work: @escaping @Sendable () async throws(Fault) -> Value
    ) async throws(Fault) -> Value {
        let task = Task { () async -> Result<Value, Fault> in
            do throws(Fault) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        whenRequested { _ in task.cancel() }
        return try await task.value.get()
    }
}
