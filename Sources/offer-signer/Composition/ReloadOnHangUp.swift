import ServiceLifecycle
import UnixSignals

/// Reloads at each SIGHUP; several that come during one reload count as one.
struct ReloadOnHangUp: Service {
    /// The signals, trapped before anything of the start: untrapped, SIGHUP ends a process.
    let hangUps: UnixSignalsSequence
    /// What to do.
    let reload: Reload

    func run() async throws {
        for await _ in hangUps.cancelOnGracefulShutdown() { reload.perform() }
    }
}
