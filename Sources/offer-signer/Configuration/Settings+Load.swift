import OfferService

extension Settings {
    /// Reads the whole configuration: the file, its overrides, and the catalog and clients that they name.
    ///
    /// Flags win over the environment, that over the file, that over the defaults.
    ///
    /// - Parameters:
    ///   - file: The path of `offer-signer.yaml`.
    ///   - flags: The override flags that were given, by key path (``ConfigurationFlags/values``).
    ///   - environment: The process's environment variables.
    ///   - keyLoader: Loads the keys that the catalog names; `nil` to leave their files unread.
    ///   - address: Where the running service listens for requests, which only a restart changes; `nil` where none runs.
    /// - Returns: The configuration, and what its author should know.
    /// - Throws: ``ConfigurationFaults`` with everything that is wrong, never only the first.
    static func load(
        file: String,
        flags: [String: String],
        environment: [String: String],
        keyLoader: (any KeyLoading)? = nil,
        listeningAt address: ListenAddress? = nil
    ) throws(ConfigurationFaults) -> LoadedSettings {
        let faults = FaultCollector()
        let reader = SettingsReader(
            directory: ConfigurationDirectory(of: file, environment: environment),
            faults: faults,
            keyLoader: keyLoader
        )
        let settings = reader.settings(ConfigurationFile(path: file, name: file), flags, environment, address)
        guard faults.isEmpty, let settings else { throw ConfigurationFaults(faults: faults.faults) }
        return LoadedSettings(settings: settings, warnings: faults.warnings)
    }

    /// Names the settings that differ from those the process was started with, and that only a restart puts into effect.
    func changesThatNeedRestart(since running: Settings) -> [String] {
        SettingTable.scalars.compactMap { entry in
            let known = running.valuesOfStart[entry.keyPath]
            guard valuesOfStart[entry.keyPath] != known else { return nil }
            let inUse = known.map { entry.isShown ? $0 : "what it was started with" } ?? "none"
            return "\(entry.keyPath) has changed, which needs a restart; in use is still \(inUse)"
        }
    }
}

extension SettingsReader {
    /// Reads everything; the result is of use only when there are no faults.
    fileprivate func settings(
        _ file: ConfigurationFile,
        _ flags: [String: String],
        _ environment: [String: String],
        _ addressInUse: ListenAddress?
    ) -> Settings? {
        let root = root(of: file, namedAt: file.place)
        let readable = root.flatMap(mainFile)
        let main = readable ?? MainFile()
        let layers = SettingLayers(values: main.values, of: file, flags: flags, environment: environment, faults)
        UnknownVariables.check(environment, faults)

        let protection = keyProtection(layers)
        let listeners = listeners(layers, hasNotifications: main.sections.contains("notifications"))
        let tls = tls(layers, protection)
        let ledger = ledger(layers, protection)
        // Without the main file nobody can say which files it names, and where the server listens.
        let isHostKnown = readable != nil && (try? HostName.parse(listeners.server.host)) != nil
        // Keys and tokens that a reload brings are in use where the service listens already.
        let exposed = addressInUse.flatMap { $0.isLoopback ? nil : $0 }
        let server = isHostKnown ? exposed ?? listeners.server : nil
        let catalog = named(\.catalog, layers, isRequired: readable != nil).map {
            self.catalog(
                $0,
                server: server,
                protection: protection,
                hasNotifications: listeners.notifications != nil
            )
        }
        let clients = named(\.clients, layers, isRequired: readable != nil).map {
            self.clients($0, bundleIds: catalog?.bundleIds, server: server)
        }
        guard let ledger, let catalog, let clients else { return nil }
        checkConfirmation(layers, of: catalog.apps, clients)
        warnOfShortRetention(ledger, of: catalog.apps, at: layers.place(\.ledgerRetentionDays))
        return Settings(
            server: ServerSettings(
                address: listeners.server,
                drainDelaySeconds: layers.serverDrainDelaySeconds,
                drainTimeoutSeconds: layers.serverDrainTimeoutSeconds,
                limits: connectionLimits(layers),
                tls: tls
            ),
            admin: AdminSettings(
                address: listeners.admin,
                hasPage: layers.adminPage,
                hosts: adminHosts(main)
            ),
            log: LogSettings(
                level: layers.logLevel,
                format: layers.logFormat
            ),
            keyProtection: protection,
            ledger: ledger,
            evidence: EvidenceSettings(
                maximumAgeSeconds: layers.evidenceMaximumAgeSeconds,
                signedTransactionMaximumAgeSeconds: layers.evidenceSignedTransactionMaximumAgeSeconds,
                confirmsSignedTransactions: layers.evidenceConfirmSignedTransactions
            ),
            notifications: listeners.notifications.map(NotificationSettings.init),
            retention: AnswerRetentionCalls.Limits(
                time: .milliseconds(layers.retentionTimeoutMilliseconds),
                calls: layers.retentionMaximumCalls
            ),
            appStore: appStore(layers, main),
            apps: catalog.apps,
            clients: clients,
            valuesOfStart: layers.valuesOfStart.filter {
                listeners.notifications != nil || !$0.key.hasPrefix("notifications.")
            }
        )
    }

    /// The root of a file that a setting names.
    private func named(
        _ key: SettingLayers.Key<String?>,
        _ layers: SettingLayers,
        isRequired: Bool
    ) -> ConfigurationNode? {
        guard layers.isGiven(key) else {
            if isRequired {
                let meaning = SettingTable.shared[keyPath: key].entry.meaning
                faults.fault(layers.place(key), "is missing; name the file with \(meaning)")
            }
            return nil
        }
        // A malformed path has its fault already.
        guard let path = layers[dynamicMember: key] else { return nil }
        return root(of: directory.file(path), namedAt: layers.place(key))
    }
}
