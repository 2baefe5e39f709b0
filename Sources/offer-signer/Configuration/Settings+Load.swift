import OfferService

extension Settings {
    /// Reads the whole configuration, or throws everything that is wrong with it, never only the first fault.
    ///
    /// Without a `keyRing`, the keys' files are left unread, without a `ledger` those of the ledger. A running service
    /// listens at `addresses`, which only a restart changes.
    static func load(
        file: String,
        flags: [String: String],
        environment: [String: String],
        keyRing: KeyRing? = nil,
        ledger: LedgerFileCheck? = nil,
        listeningAt addresses: ListenAddresses? = nil
    ) throws(ConfigurationFaults) -> Settings {
        let faults = FaultCollector()
        let reader = SettingsReader(
            directory: ConfigurationDirectory(of: file, environment: environment),
            faults: faults,
            keyRing: keyRing,
            ledgerCheck: ledger
        )
        let settings = reader.settings(ConfigurationFile(path: file, name: file), flags, environment, addresses)
        guard faults.isEmpty, let settings else {
            throw ConfigurationFaults(faults: faults.faults, logFormat: faults.logFormat)
        }
        return settings
    }

    /// Reads the apps of the catalog: no clients, no ledger, and none of the files that the catalog names.
    static func loadApps(_ source: ConfigurationSource) throws(ConfigurationFaults) -> [AppSettings] {
        let faults = FaultCollector()
        let directory = ConfigurationDirectory(of: source.file, environment: source.environment)
        let reader = SettingsReader(directory: directory, faults: faults, keyRing: nil, readsNamedFiles: false)
        let apps = reader.apps(ConfigurationFile(path: source.file, name: source.file), source)
        guard faults.isEmpty, let apps else { throw ConfigurationFaults(faults: faults.faults) }
        return apps
    }

    /// Reads the apps of another catalog than the configuration's, which needs no keys.
    static func loadApps(
        ofCatalog path: String,
        in directory: ConfigurationDirectory,
        hasNotifications: Bool
    ) throws(ConfigurationFaults) -> [AppSettings] {
        let faults = FaultCollector()
        let reader = SettingsReader(
            directory: directory,
            faults: faults,
            keyRing: nil,
            readsNamedFiles: false,
            needsKeys: false,
            hasNotifications: hasNotifications
        )
        let file = ConfigurationFile(path: path, name: path)
        let apps = reader.root(of: file, namedAt: file.place).map { reader.catalog($0).apps }
        guard faults.isEmpty, let apps else { throw ConfigurationFaults(faults: faults.faults) }
        return apps
    }

    /// The settings whose changes since the start wait for a restart, one sentence each.
    func changesThatNeedRestart(since running: Settings) -> [String] {
        let modules = SettingTable.shared.tokenModules.entry.keyPath
        let changed = tokenModules == running.tokenModules ? [] : ["\(modules) has changed, which needs a restart"]
        return changed
            + SettingTable.scalars.compactMap { entry in
                let known = running.textOfStart(entry)
                guard textOfStart(entry) != known else { return nil }
                let inUse = known.map { entry.kind.isShown ? $0 : "what it was started with" } ?? "none"
                return "\(entry.keyPath) has changed, which needs a restart; in use is still \(inUse)"
            }
    }

    private func textOfStart(_ entry: SettingEntry) -> String? {
        guard listeners.notifications != nil || !entry.keyPath.hasPrefix("notifications.") else { return nil }
        switch entry.changes {
        case .atReload: return nil
        case .atStart: return values.text(entry)
        case .onlyPresenceAtStart: return values.text(entry).map { _ in "" }
        }
    }
}

extension SettingsReader {
    fileprivate func settings(
        _ file: ConfigurationFile,
        _ flags: [String: String],
        _ environment: [String: String],
        _ addressesInUse: ListenAddresses?
    ) -> Settings? {
        let root = root(of: file, namedAt: file.place)
        let readable = root.flatMap(mainFile)
        let main = readable ?? MainFile()
        let layers = SettingLayers(values: main.values, of: file, flags: flags, environment: environment, faults)
        faults.logFormat = layers.logFormat
        UnknownVariables.check(environment, faults)

        prepareKeyMemory(layers)
        let tokenModules = tokenModules(main, layers)
        let listeners = listeners(layers, hasNotifications: main.sections.contains("notifications"))
        checkUnfinishedBytes(layers)
        let (tls, ledger) = (tls(layers), ledger(layers))
        if let ledger, let ledgerCheck, readable != nil {
            LedgerKeyFiles(
                ledger,
                isGroupReadable: layers.keysGroupReadable,
                isLoopback: listeners.server.isLoopback
            ).check(
                isStarting: ledgerCheck == .atStart,
                hasKeyMemory: keyRing?.memory != nil,
                layers,
                faults
            )
        }
        let (adminHosts, appleRoots, additionalRoots) = (adminHosts(main), appleRoots(main), additionalRoots(main))
        // Without the main file nobody can say which files it names, and where the server listens.
        let hosts = [listeners.server.host, listeners.admin.host]
        let areHostsKnown = readable != nil && hosts.allSatisfy { (try? HostName.parse($0)) != nil }
        // Keys and tokens that a reload brings are in use where the service listens already.
        var reader = self
        reader.exposed = areHostsKnown ? addressesInUse?.exposed ?? listeners.exposed : nil
        reader.isGroupReadable = layers.keysGroupReadable
        reader.hasNotifications = listeners.notifications != nil
        let catalog = named(\.catalog, layers, isRequired: readable != nil).map { reader.catalog($0) }
        let clients = named(\.clients, layers, isRequired: readable != nil).map { reader.clients($0, of: catalog) }
        guard let ledger, let catalog, let clients else { return nil }
        checkConfirmation(layers, of: catalog.apps, clients)
        warnOfShortRetention(layers, of: catalog.apps)
        return Settings(
            values: layers,
            listeners: listeners,
            tls: tls,
            adminHosts: adminHosts,
            ledger: ledger,
            appleRoots: appleRoots,
            additionalRoots: additionalRoots,
            tokenModules: tokenModules,
            apps: catalog.apps,
            clients: clients,
            recorded: faults.recorded,
            warnings: faults.warnings
        )
    }

    fileprivate func apps(_ file: ConfigurationFile, _ source: ConfigurationSource) -> [AppSettings]? {
        guard let main = root(of: file, namedAt: file.place).flatMap(mainFile) else { return nil }
        let (flags, environment) = (source.flags, source.environment)
        let layers = SettingLayers(values: main.values, of: file, flags: flags, environment: environment, faults)
        var reader = self
        reader.hasNotifications = main.sections.contains("notifications")
        return named(\.catalog, layers, isRequired: true).map { reader.catalog($0).apps }
    }

    private func named(
        _ key: SettingLayers.Key<String?>,
        _ layers: SettingLayers,
        isRequired: Bool
    ) -> ConfigurationNode? {
        guard layers.isGiven(key) else {
            let place = layers.place(key)
            // A key without a value has its fault already.
            if isRequired, !faults.faults.contains(where: { $0.place.keyPath == place.keyPath }) {
                let meaning = SettingTable.shared[keyPath: key].entry.meaning
                faults.fault(place, "is missing; name the file with \(meaning)")
            }
            return nil
        }
        // A malformed path has its fault already.
        guard let path = layers[dynamicMember: key] else { return nil }
        return root(of: directory.file(path), namedAt: layers.place(key))
    }
}
