import AppStore
import LogLines
import Logging
import OfferAPI
import OfferService
import ServiceLifecycle
import Storage
import SubscriptionKeys
import UnixSignals

/// The running service: its listeners, and the order in which they start and drain.
struct ServiceComposition {
    // Only `current` holds on to keys, so that a reload can let them go.
    private let current: SnapshotInUse
    private let lifelong: LifelongParts
    private let source: ConfigurationSource

    /// Nothing listens yet.
    ///
    /// The ledger is closed when the service has run.
    init(_ service: consuming LoadedService, _ ledger: OpenLedger, from source: ConfigurationSource, log: LogOutput) {
        lifelong = LifelongParts(
            ledger: ledger,
            log: log,
            tls: service.settings.tls,
            maximumUnfinishedBytes: service.settings.maximumUnfinishedBytes
        )
        current = SnapshotInUse(ServiceSnapshot(service, lifelong))
        lifelong.telemetry.prepare(current.value)
        self.source = source
    }

    /// Runs until SIGTERM or SIGINT, then finishes the work in flight.
    ///
    /// Throws the reason why a listener could not listen, or the drain not end in time.
    func run(reloadingAt hangUps: UnixSignalsSequence) async throws {
        let settings = current.value.service.settings
        let logger = Logger(label: "offer-signer")
        SigningStack.tryRoom()
        if let reason = current.value.service.keyMemory?.whyNotSecret {
            logger.notice("keys are not in secret memory", metadata: ["reason": "\(reason)"])
        }
        current.value.service.logRoots(to: logger)
        current.value.service.tellIntermediates(to: logger, lifelong.telemetry.newIntermediates)
        let configurations = ConfigurationRecorder(lifelong.ledger, logger: logger)
        let files = OpenFiles(
            for: settings.maximumConnections,
            otherListeners: settings.listeners.notifications == nil ? 1 : 2
        )
        if let warning = files.warning { logger.warning("\(warning)") }
        let end = ShutdownTime(seconds: Self.patience(settings))
        let group = ServiceGroup(configuration: services(settings, files, hangUps, end, configurations, logger))
        do {
            try await group.run()
        } catch {
            _ = await close(within: end)
            throw error
        }
        guard await close(within: end) else {
            let cause = lifelong.ledger.fault.map { " (\($0))" } ?? ""
            throw ServiceFailure(
                "server.drainTimeoutSeconds: the ledger could not be closed in time\(cause); no signature that was given "
                    + "out is lost, but counts and evidence of the last seconds may be"
            )
        }
        if let failure = ServiceFailure(of: lifelong.connections) { throw failure }
        logger.notice("stopped")
    }

    /// In the order of the start.
    private func services(
        _ settings: Settings,
        _ files: OpenFiles,
        _ hangUps: UnixSignalsSequence,
        _ end: ShutdownTime,
        _ configurations: ConfigurationRecorder,
        _ logger: Logger
    ) -> ServiceGroupConfiguration {
        let (clock, ledger) = (lifelong.clock, lifelong.ledger)
        let reload = Reload(source: source, current: current, configurations: configurations, logger: logger)
        let refusals = HistoryRefusals()
        let readiness = Readiness { [current] in
            Self.details(current, reload, clock, ledger, refusals, configurations)
        }
        let faults = RepeatedFaults(logger: logger)
        let decisions = settings.adminPage ? lifelong.telemetry.decisions : nil
        let listeners = ServiceListeners(
            of: current,
            lifelong,
            maximumConnections: files.connections,
            readiness: readiness,
            announcement: Announcement(
                readiness: readiness,
                expectsNotifications: settings.listeners.notifications != nil,
                prepare: { [current] in
                    await configurations.use(ConfigurationInUse(of: current.value.service, startedWith: settings))
                }
            ),
            overview: settings.adminPage ? Overview(of: current, lifelong, readiness) : nil,
            logger: logger,
            faults: faults
        )
        let checkup = Checkup(
            selfTestKeys: { [current] in await current.value.service.selfTestKeys() },
            ordinaryMemory: { SigningStack.warning },
            poolShortage: { SigningStack.poolShortage },
            logger: logger
        )
        let clockLog = ClockLog(
            clock: clock,
            askApple: { [current, transport = lifelong.appStoreTransport] in
                await transport.askClock(of: current.value.service.appStoreURLs)
            },
            logger: logger
        )
        let unreadiness: @Sendable () -> String? = { [current] in
            ledger.fault ?? current.value.service.keyUnavailabilities.first
        }
        let catchUp = settings.listeners.notifications.map { _ in
            NotificationCatchUp(
                current: { [current] in
                    (current.value.catchUp, current.value.service.settings.notificationsHistorySeconds)
                },
                isReader: { [store = lifelong.ledger.historyProgress] in (try? await store.isReader()) == true },
                isClockWrong: { clock.fault != nil },
                refusals: refusals,
                logger: logger
            )
        }
        let renewal = lifelong.tls.map { tls in
            TLSRenewal(
                identity: tls,
                isGroupReadable: { [current, source] in
                    let directory = ConfigurationDirectory(of: source.file, environment: source.environment)
                    return current.value.service.settings.keysGroupReadable
                        || directory.isCredential(tls.files.privateKeyFile)
                },
                logger: logger
            )
        }
        let drain = DrainDelay(
            seconds: settings.serverDrainDelaySeconds,
            readiness: readiness,
            census: lifelong.connections,
            end: end,
            logger: logger
        )
        // Drained from the last to the first: readiness ends first, and the admin listener shows it to the end.
        let services: [(name: String, service: (any Service)?)] = [
            ("counts", FaultCounts(faults: faults)), ("admin", listeners.admin),
            ("notifications", listeners.notifications), ("server", listeners.server),
            ("reload", ReloadOnHangUp(hangUps: hangUps, reload: reload)), ("checkup", checkup),
            ("clock", clockLog), ("catch-up", catchUp), ("faults", FaultLog(fault: unreadiness, logger: logger)),
            ("decisions", decisions), ("renewal", renewal), ("configurations", configurations),
            ("drain", drain),
        ]
        var silent = logger
        silent.logLevel = .critical
        var configuration = ServiceGroupConfiguration(
            // Named, because the group would write out all that a service holds for its name, and keep it.
            services: services.compactMap { name, service in
                service.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: name) }
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: silent
        )
        configuration.maximumGracefulShutdownDuration = .seconds(Self.patience(settings))
        return configuration
    }

    /// In seconds.
    private static func patience(_ settings: Settings) -> Int {
        settings.serverDrainDelaySeconds + settings.serverDrainTimeoutSeconds
    }

    private func close(within end: ShutdownTime) async -> Bool {
        await end.finish { [lifelong] in
            await lifelong.ledger.close()
            await lifelong.appStoreTransport.shutdown()
        }
    }

    private static func details(
        _ current: SnapshotInUse,
        _ reload: Reload,
        _ clock: ClockMonitor,
        _ ledger: OpenLedger,
        _ refusals: HistoryRefusals,
        _ configurations: ConfigurationRecorder
    ) -> ReadinessDetails {
        // Before what is in use, so that an answer that counts a reload shows its effect.
        let reloads = reload.record
        let service = current.value.service
        return ReadinessDetails(
            warnings: service.settings.warnings.map { ReadinessWarning(.configuration, $0.description) }
                + [current.value.lifelong.tls?.files.warning(at: WallClock.now())].compactMap(\.self)
                .map { ReadinessWarning(.certificate, $0) }
                + [SigningStack.poolShortage].compactMap(\.self).map { ReadinessWarning(.memory, $0) }
                + [SigningStack.warning].compactMap(\.self).map {
                    ReadinessWarning(.memory, $0, fix: "Raise the limit that it names, and restart the service.")
                }
                + reload.restartWarnings(of: service).map { ReadinessWarning(.restart, $0) } + ledger.warnings
                + refusals.warnings,
            faults: service.keyFaults + [clock.fault?.description, ledger.fault].compactMap(\.self),
            keyMemory: service.keyMemoryName,
            configurationSHA256: configurations.sha256,
            reloads: reloads
        )
    }
}

/// The first step of a shutdown: says on `/readyz` that the service is going, and gives load balancers time to notice.
struct DrainDelay: Service {
    /// How long requests are still accepted.
    let seconds: Int
    let readiness: Readiness
    /// The public listener's connections: from now on each of them ends with its next answer.
    let census: ConnectionCensus
    let end: ShutdownTime
    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        logger.notice("draining: /readyz is 503", metadata: ["delaySeconds": .stringConvertible(seconds)])
        end.begin()
        readiness.enter(.draining)
        census.drain()
        try await Task.sleep(for: .seconds(seconds))
        logger.notice("stopping: requests in flight are finished, and no others are taken")
    }
}
