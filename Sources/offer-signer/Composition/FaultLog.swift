import Logging
import ServiceLifecycle

/// Logs what keeps requests from being answered when it begins, and when it is over: `/readyz` tells it while it lasts.
struct FaultLog: Service {
    /// What keeps requests from being answered now; `nil` when nothing does.
    let fault: @Sendable () -> String?
    /// Where it is logged, once each.
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
