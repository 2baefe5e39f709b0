import AppStore
import Foundation
import Logging
import OfferAPI
import OfferService
import Offers
import ServiceLifecycle
import Synchronization

/// Reads Apple's notification history at the start and every `notifications.historySeconds`, in one of the services that share
/// the database.
///
/// Apps take turns, a page each; one that fails waits by itself.
struct NotificationCatchUp: Service {
    /// The use case by the configuration in use, and the pause between two readings in seconds; 0: it is not read.
    let current: @Sendable () -> (useCase: CatchUpNotifications<AppStoreNotificationReader>, pauseSeconds: Int)
    /// Whether this service is the one that reads.
    let isReader: @Sendable () async -> Bool
    /// Whether the clock is wrong: a mark by it would be, too.
    let isClockWrong: @Sendable () -> Bool
    let refusals: HistoryRefusals
    let logger: Logger

    /// The longest wait before it looks again whether there is something to read.
    private static let longestWait = Duration.seconds(5)

    private struct Turn {
        var due: ContinuousClock.Instant
        var failures = 0
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            var turns: [HistoryOwner: Turn] = [:]
            while !Task.isCancelled {
                let pause = await nextRound(&turns)
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Reads what is due, and gives the time until more is.
    private func nextRound(_ turns: inout [HistoryOwner: Turn]) async -> Duration {
        let (useCase, pauseSeconds) = current()
        guard pauseSeconds > 0, !useCase.owners.isEmpty, !isClockWrong(), await isReader() else {
            // Whoever begins to read does so at once.
            turns = [:]
            refusals.removeAll(except: [])
            return Self.longestWait
        }
        refusals.removeAll(except: useCase.owners)
        var next = ContinuousClock.now + Self.longestWait
        for owner in useCase.owners where !Task.isCancelled {
            var turn = turns[owner] ?? Turn(due: .now)
            if turn.due <= .now { await read(owner, useCase, &turn, pauseSeconds) }
            turns[owner] = turn
            next = min(next, turn.due)
        }
        return max(ContinuousClock.now.duration(to: next), .zero)
    }

    private func read(
        _ owner: HistoryOwner,
        _ useCase: CatchUpNotifications<AppStoreNotificationReader>,
        _ turn: inout Turn,
        _ pauseSeconds: Int
    ) async {
        var metadata: Logger.Metadata = ["app": "\(owner.bundleId)", "environment": "\(owner.environment.rawValue)"]
        do throws(HistoryFault) {
            let step = try await useCase.step(of: owner)
            if let restart = step.restart {
                logger.warning("Apple's notification history is not read from its mark: \(restart)", metadata: metadata)
            }
            let recovered = step.recovered.values.reduce(0, +)
            if recovered > 0 {
                metadata["recovered"] = "\(recovered)"
                logger.notice("notifications that did not come were read at Apple", metadata: metadata)
            }
            turn.failures = 0
            refusals.record(nil, of: owner)
            if step.isDone { turn.due = .now + .seconds(pauseSeconds) }
        } catch {
            guard !Task.isCancelled else { return }
            turn.failures += 1
            let seconds = error.pauseSeconds(afterFailures: turn.failures)
            turn.due = .now + .seconds(seconds)
            metadata["reason"] = "\(error)"
            metadata["againInSeconds"] = "\(seconds)"
            if error.kind == .windowRefused { refusals.record("\(error)", of: owner) }
            logger.log(
                level: Self.level(of: error, failures: turn.failures),
                "Apple's notification history could not be read",
                metadata: metadata
            )
        }
    }

    private static func level(of fault: HistoryFault, failures: Int) -> Logger.Level {
        switch fault.kind {
        case .windowRefused: .error
        // Its window begins anew.
        case .pageRefused: .notice
        // A minute of failures is worth an operator's look.
        case .temporary, .keyRefused: failures < 6 ? .info : .warning
        }
    }
}

/// The apps whose notification history Apple refuses from its first page on, in Apple's words.
final class HistoryRefusals: Sendable {
    private let known = Mutex<[HistoryOwner: String]>([:])

    func record(_ fault: String?, of owner: HistoryOwner) { known.withLock { $0[owner] = fault } }

    /// Removes the refusals of other apps.
    func removeAll(except owners: [HistoryOwner]) { known.withLock { $0 = $0.filter { owners.contains($0.key) } } }

    /// A warning for each.
    var warnings: [ReadinessWarning] {
        known.withLock { $0 }.map { owner, fault in
            ReadinessWarning(.history, "\(owner.bundleId), \(owner.environment.rawValue): \(fault)")
        }.sorted { $0.text < $1.text }
    }
}
