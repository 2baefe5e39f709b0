import Logging
import ServiceLifecycle

/// Tests the keys and looks at the clock and where threads sign every minute, and logs what it finds.
///
/// What is found keeps the service from being ready at once, and a key that failed from signing.
struct Checkup: Service {
    /// Tests every key that has not failed yet, and returns what has just failed, one sentence each.
    let selfTestKeys: @Sendable () -> [String]
    /// Why a thread computes signatures in ordinary memory; `nil` where none does.
    var ordinaryMemory: @Sendable () -> String? = { nil }
    /// A warning that OpenSSL's pool was too small for a signature; `nil` if it had room for all.
    var poolShortage: @Sendable () -> String? = { nil }
    /// What is wrong with the clock; `nil` when nothing is.
    let clockFault: @Sendable () -> String?
    /// Where faults are logged, once each.
    let logger: Logger
    /// How long it waits from one look to the next.
    var interval = Duration.seconds(60)

    func run() async throws {
        var clockWasAtFault = false
        // Who loaded the keys has signed by now; each thread makes its own memory with its first signature.
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
