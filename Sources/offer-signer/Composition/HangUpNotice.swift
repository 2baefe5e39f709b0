import Logging
import ServiceLifecycle
import UnixSignals

/// Takes SIGHUP, which would end the process otherwise, and says that a restart is what re-reads the configuration.
struct HangUpNotice: Service {
    /// Where it is said.
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            logger.warning("SIGHUP: this version re-reads its configuration when it is restarted")
        }
    }
}
