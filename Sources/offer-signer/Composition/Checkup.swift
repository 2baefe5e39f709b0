import Logging
import OfferAPI
import ServiceLifecycle

/// Tests the keys and looks at the clock and where threads sign every minute, and logs what it finds.
///
/// A fault keeps the service from being ready at once, and a key that failed from signing.
struct Checkup: Service {
    /// Tests every key that has not failed yet, and returns what has just failed, one sentence each.
    let selfTestKeys: @Sendable () -> [String]
    /// Why a thread computes signatures in ordinary memory; `nil` where none does.
    var ordinaryMemory: @Sendable () -> String? = { nil }
    /// A warning that OpenSSL's pool was too small for a signature; `nil` if it had room for all.
    var poolShortage: @Sendable () -> String? = { nil }
    /// A fault of the clock; `nil` when there is none.
    let clockFault: @Sendable () -> String?
    /// Where faults are logged, once each.
    let logger: Logger
    /// How long it waits from one look to the next.
    var interval = Duration.seconds(60)

    func run() async throws {
        var clockWasAtFault = false
        // The thread that loaded the keys has signed by now; each thread makes its own memory with its first signature.
        var isWarned = warnOfOrdinaryMemory()
        var shortageIsLogged = logPoolShortage()
        while await Pause.isOver(after: interval) {
            for fault in selfTestKeys() { logger.critical("\(fault); it does not sign any more") }
            if !isWarned { isWarned = warnOfOrdinaryMemory() }
            if !shortageIsLogged { shortageIsLogged = logPoolShortage() }
            let fault = clockFault()
            if let fault, !clockWasAtFault { logger.critical("\(fault)") }
            clockWasAtFault = fault != nil
        }
    }

    private func warnOfOrdinaryMemory() -> Bool {
        guard let reason = ordinaryMemory() else { return false }
        logger.notice("signatures are computed in ordinary memory", metadata: ["reason": "\(reason)"])
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
    /// The fault that keeps requests from being answered now; `nil` when there is none.
    let fault: @Sendable () -> String?
    /// The log, which gets each once.
    let logger: Logger
    /// How long it waits from one look to the next.
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

/// Logs every minute how many requests could not be answered, and once more at the end.
struct FaultCounts: Service {
    /// The counters.
    let faults: RepeatedFaults
    /// How long it waits from one time to the next.
    var interval = Duration.seconds(60)

    func run() async throws {
        while await Pause.isOver(after: interval) { faults.logCounts() }
        faults.logCounts()
    }
}

/// The time between two looks of a service that looks again and again.
enum Pause {
    /// Waits for the next look.
    ///
    /// - Parameter interval: How long.
    /// - Returns: `false` when the service ends.
    static func isOver(after interval: Duration) async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
            return true
        } catch {
            return false
        }
    }
}
