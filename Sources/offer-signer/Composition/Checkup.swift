import Logging
import OfferAPI
import OfferService
import ServiceLifecycle

/// Every minute, tests the keys and checks the memory that threads sign in, and logs the findings.
///
/// A fault keeps the service from being ready at once, and a failed key from signing.
struct Checkup: Service {
    /// Tests every key that has not failed yet; returns the new failures, one sentence each.
    let selfTestKeys: @Sendable () async -> [String]
    /// A warning that a thread computes signatures in ordinary memory, not in memory of its own; `nil` where none does.
    var ordinaryMemory: @Sendable () -> String? = { nil }
    /// A warning that OpenSSL's pool was too small for a signature; `nil` if it had room for all.
    var poolShortage: @Sendable () -> String? = { nil }
    let logger: Logger
    var interval = Duration.seconds(60)

    func run() async throws {
        // The thread that loaded the keys has signed by now; each thread makes its own memory with its first signature.
        var isWarned = warnOfOrdinaryMemory()
        var shortageIsLogged = logPoolShortage()
        while await Pause.isOver(after: interval) {
            for fault in await selfTestKeys() { logger.critical("\(fault); it does not sign any more") }
            if !isWarned { isWarned = warnOfOrdinaryMemory() }
            if !shortageIsLogged { shortageIsLogged = logPoolShortage() }
        }
    }

    private func warnOfOrdinaryMemory() -> Bool {
        guard let warning = ordinaryMemory() else { return false }
        logger.warning("\(warning)")
        return true
    }

    private func logPoolShortage() -> Bool {
        guard let shortage = poolShortage() else { return false }
        logger.warning("\(shortage)")
        return true
    }
}

/// Logs the beginning and the end of a fault that keeps requests from being answered: `/readyz` shows it meanwhile.
struct FaultLog: Service {
    let fault: @Sendable () -> String?
    let logger: Logger
    var interval = Duration.seconds(1)

    func run() async throws {
        var known: String?
        while await Pause.isOver(after: interval) {
            let fault = fault()
            guard fault != known else { continue }
            if let fault {
                logger.error("not ready", metadata: ["fault": "\(fault)"])
            } else {
                logger.notice("ready again")
            }
            known = fault
        }
    }
}

/// Logs when a fault of the clock begins and ends, and asks Apple's clock meanwhile: at once, and every 30 seconds.
///
/// An answer of Apple's that differs from the clock is a doubt, about which Apple is asked again at once.
struct ClockLog: Service {
    let clock: ClockMonitor
    let askApple: @Sendable () async -> Void
    let logger: Logger

    private struct Cause: Equatable {
        let isFault: Bool
        let doubt: Int?
    }

    func run() async throws {
        var beginning: ContinuousClock.Instant?
        var (asked, askedFor): (ContinuousClock.Instant?, Cause?) = (nil, nil)
        while await Pause.isOver(after: .milliseconds(200)) {
            let (fault, doubt) = (clock.fault, clock.doubt)
            if let fault, beginning == nil {
                logger.critical("\(fault)")
                beginning = .now
            } else if fault == nil, let begun = beginning {
                let seconds = begun.duration(to: .now).components.seconds
                logger.notice("the clock is right again", metadata: ["afterSeconds": "\(seconds)"])
                beginning = nil
            }
            guard fault != nil || doubt != nil else {
                askedFor = nil
                continue
            }
            let cause = Cause(isFault: fault != nil, doubt: doubt)
            // One server with a wrong clock may raise a doubt with each of its answers: one question a second.
            let pause = Duration.seconds(cause == askedFor ? 30 : 1)
            if let asked, asked.duration(to: .now) < pause { continue }
            (asked, askedFor) = (.now, cause)
            await cancelWhenGracefulShutdown { await askApple() }
        }
    }
}

/// Logs every minute how many requests could not be answered, and once more at the end.
struct FaultCounts: Service {
    let faults: RepeatedFaults
    var interval = Duration.seconds(60)

    func run() async throws {
        while await Pause.isOver(after: interval) { faults.logCounts() }
        faults.logCounts()
    }
}

enum Pause {
    /// Waits for the next look; `false` when the service ends.
    static func isOver(after interval: Duration) async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
            return true
        } catch {
            return false
        }
    }
}
