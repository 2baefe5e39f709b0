import Logging
import OfferService
import ServiceLifecycle

/// Tests the keys and looks at the clock every minute, and logs what it finds.
///
/// What is found keeps the service from being ready, and a key that failed from signing, at once.
struct Checkup: Service {
    /// How often, in seconds.
    static let intervalSeconds = 60

    /// What is in use.
    let current: Current<ServiceSnapshot>
    /// The watch over the clock.
    let clock: ClockMonitor
    /// Where faults are logged, once each.
    let logger: Logger

    func run() async throws {
        var clockWasAtFault = false
        while (try? await cancelWhenGracefulShutdown({ try await Task.sleep(for: .seconds(Self.intervalSeconds)) }))
            != nil
        {
            for fault in current.value.service.selfTestKeys() {
                logger.critical("\(fault); it does not sign any more")
            }
            let fault = clock.fault
            if let fault, !clockWasAtFault { logger.critical("\(fault)") }
            clockWasAtFault = fault != nil
        }
    }
}
