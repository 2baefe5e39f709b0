import CoreMetrics
import LogLines
import Logging
import OfferAPI
import OfferService
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Re-reads configuration, catalog, clients and keys, and puts them in use when all is in order.
final class Reload: Sendable {
    private let source: ConfigurationSource
    private let current: SnapshotInUse
    /// The settings that the process was started with.
    private let running: Settings
    private let lifelong: LifelongParts
    private let configurations: ConfigurationRecorder
    private let logger: Logger
    private let history = Mutex(ReloadRecord())

    init(source: ConfigurationSource, current: SnapshotInUse, configurations: ConfigurationRecorder, logger: Logger) {
        self.source = source
        self.current = current
        self.running = current.value.service.settings
        self.lifelong = current.value.lifelong
        self.configurations = configurations
        self.logger = logger
    }

    var record: ReloadRecord { history.withLock { $0 } }

    /// Builds the whole new service beside the old one, and swaps them; with any fault, the old one stays in use.
    func perform() async {
        do throws(ConfigurationFaults) {
            let service = try LoadedService(
                source,
                listeningAt: running.listeners,
                with: current.value.service.tokens,
                knowing: current.value.service.intermediates
            )
            try checkTLS(of: service.settings)
            let changedKeys = service.keysChanged(since: current.value.service)
            current.replace(by: ServiceSnapshot(service, lifelong))
            lifelong.log.level = service.settings.logLevel
            if let files = service.settings.tls { lifelong.tls?.replace(by: files) }
            // The operator has looked.
            lifelong.clock.believe()
            let warnings = service.settings.warnings.map(\.description) + changedKeys + restartWarnings(of: service)
            for warning in warnings { logger.warning("\(warning)") }
            let keys = service.signingKeyIdentifiers.joined(separator: ",")
            service.logRoots(to: logger)
            await configurations.use(ConfigurationInUse(of: service, startedWith: running))
            logger.notice("reloaded: the new configuration is in use", metadata: ["signingKeys": "\(keys)"])
            // Last of all: who sees it counted sees its effect, too, and finds it in the log.
            lifelong.telemetry.reloadsCompleted.increment()
            history.withLock { $0.recordCompletion(at: WallClock.now()) }
        } catch {
            let faults = error.faults.map(\.description)
            for fault in faults { logger.error("\(fault)") }
            logger.error("reload refused: the configuration that was in use stays in use")
            lifelong.telemetry.reloadsRefused.increment()
            history.withLock { $0.recordRefusal(faults, at: WallClock.now()) }
        }
    }

    /// A certificate that clients refuse does not take the place of another one.
    private func checkTLS(of settings: Settings) throws(ConfigurationFaults) {
        guard let files = settings.tls, let inUse = lifelong.tls?.files,
            let fault = files.fault(inPlaceOf: inUse, at: WallClock.now())
        else { return }
        let place =
            fault.file == .certificate
            ? settings.values.place(\.serverTLSCertificateFile)
            : settings.values.place(\.serverTLSClientCertificateAuthorityFile)
        let message = "\(fault.detail); put one there that is valid, and reload. Until then the old one stays in use"
        throw ConfigurationFaults(faults: [ConfigurationFinding(place: place, message: message)])
    }

    /// The changes of the configuration that only a restart puts into effect.
    func restartWarnings(of service: LoadedService) -> [String] {
        service.settings.changesThatNeedRestart(since: running)
    }
}

/// Reloads at each SIGHUP; several that come during one reload count as one.
struct ReloadOnHangUp: Service {
    /// The signals, trapped before anything of the start: untrapped, SIGHUP ends a process.
    let hangUps: UnixSignalsSequence
    let reload: Reload

    func run() async throws {
        for await _ in hangUps.cancelOnGracefulShutdown() { await reload.perform() }
    }
}
