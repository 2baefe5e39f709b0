import AppStore
import FoundationEssentials
import Storage

/// `offer-signer.yaml` itself.
extension SettingsReader {
    /// What the file gives: scalars that overrides may replace, and what only the file can say.
    struct MainFile {
        /// The scalars by setting.
        var values: [KnownSetting: SettingLayers.FileValue] = [:]
        /// Whether there is a `notifications` section.
        var hasNotifications = false
        /// The certificates of `appStore.additionalRoots`.
        var additionalRoots: [TrustedRoot] = []
    }

    /// Reads the file's keys.
    ///
    /// - Parameter root: The file.
    /// - Returns: What it gives, less when there are faults; `nil` when it is no mapping at all.
    func mainFile(_ root: ConfigurationNode) -> MainFile? {
        guard let members = root.mapping(keys: Self.sections.map(\.name)) else { return nil }
        var file = MainFile()
        for (name, settings) in Self.sections {
            if let setting = settings[""] {
                file.values[setting] = members[name].flatMap { scalar($0, setting) }
                continue
            }
            let otherKeys = Self.otherKeys[name] ?? []
            guard let node = members[name], let section = read(settings, otherKeys: otherKeys, in: node, into: &file)
            else { continue }
            if name == "notifications" { file.hasNotifications = true }
            if name == "appStore" { file.additionalRoots = additionalRoots(section["additionalRoots"]) }
        }
        return file
    }

    /// The file's own keys, each with the settings under it by their keys there; one that is a setting itself by "".
    private static let sections: [(name: String, settings: [String: KnownSetting])] = {
        var sections: [(name: String, settings: [String: KnownSetting])] = []
        for setting in KnownSetting.allCases {
            let parts = setting.keyPath.split(separator: ".", maxSplits: 1).map(String.init)
            if sections.last?.name != parts[0] { sections.append((parts[0], [:])) }
            sections[sections.count - 1].settings[parts.count == 2 ? parts[1] : ""] = setting
        }
        return sections
    }()

    /// The keys of sections that are no scalars with overrides.
    private static let otherKeys = ["appStore": ["additionalRoots"]]

    /// Reads a section, with the sections in it.
    ///
    /// - Parameters:
    ///   - settings: The settings of the section, by their keys there, such as `port` or `limits.maximumConnections`.
    ///   - otherKeys: Its keys that are no settings.
    ///   - node: The section.
    ///   - file: Where the values go.
    /// - Returns: The section's members; `nil` when it is no mapping.
    private func read(
        _ settings: [String: KnownSetting],
        otherKeys: [String] = [],
        in node: ConfigurationNode,
        into file: inout MainFile
    ) -> ConfigurationMapping? {
        let keys = Set(settings.keys.map { String($0.prefix { $0 != "." }) }).sorted()
        guard let section = node.mapping(keys: keys + otherKeys) else { return nil }
        for key in keys {
            guard let member = section[key] else { continue }
            if let setting = settings[key] {
                file.values[setting] = scalar(member, setting)
                continue
            }
            let inner = settings.filter { $0.key.hasPrefix(key + ".") }
                .map { (String($0.key.dropFirst(key.count + 1)), $0.value) }
            _ = read(Dictionary(uniqueKeysWithValues: inner), in: member, into: &file)
        }
        return section
    }

    private func scalar(_ node: ConfigurationNode, _ setting: KnownSetting) -> SettingLayers.FileValue? {
        if case .wholeNumber(let range) = setting.definition.type {
            return node.wholeNumber(in: range).map { .init(text: String($0), place: node.place) }
        }
        if setting.definition.type == .boolean {
            return node.boolean().map { .init(text: String($0), place: node.place) }
        }
        return node.scalar("a \(setting.definition.type.name)").map { .init(text: $0.text, place: node.place) }
    }

    private func additionalRoots(_ node: ConfigurationNode?) -> [TrustedRoot] {
        let elements = node?.list(of: "certificate files") ?? []
        return elements.compactMap { element in
            guard let path = existingFile(element, "a certificate, DER or PEM") else { return nil }
            guard let root = try? TrustedRoot(contents: Array(Data(contentsOf: URL(filePath: path)))) else {
                element.fault("\(Echo.path(path)) holds no X.509 certificate; name a file with one, in DER or PEM")
                return nil
            }
            faults.warning(
                element.place,
                "what this root signs counts as the App Store's; that is for tests, not for customers"
            )
            return root
        }
    }

    /// The ledger, with the absolute paths of its files.
    ///
    /// - Parameters:
    ///   - layers: The settings.
    ///   - protection: How keys are kept.
    /// - Returns: The ledger; `nil` when there is a fault.
    func ledger(_ layers: SettingLayers, _ protection: KeyProtection) -> LedgerSettings? {
        let digestKeyFile = ledgerKeyFile(
            .ledgerDigestKeyFile,
            "the digest key",
            layers,
            protection,
            minimumBytes: DigestKey.minimumBytes
        )
        let checkpointKeyFile = ledgerKeyFile(.ledgerCheckpointKeyFile, "the checkpoint key, a P8", layers, protection)
        // A malformed URL has its fault already.
        guard let text = layers.text(.ledgerURL), let location = try? LedgerURL.parse(text) else { return nil }
        if case .postgres(let url) = location {
            if let warning = (try? PostgreSQLLocation(url: url))?.warning {
                faults.warning(layers.place(.ledgerURL), warning)
            }
            let kinds: [KnownSetting] = [.ledgerDigestKeyFile, .ledgerCheckpointKeyFile]
            for setting in kinds where !layers.isGiven(setting) {
                faults.fault(
                    layers.place(setting),
                    "is missing; a ledger in PostgreSQL needs it, the same for all replicas"
                )
            }
        }
        return LedgerSettings(
            location: absolute(location, isGiven: layers.isGiven(.ledgerURL)),
            digestKeyFile: digestKeyFile,
            checkpointKeyFile: checkpointKeyFile,
            retentionDays: layers.text(.ledgerRetentionDays).flatMap(Int.init)
        )
    }

    private func ledgerKeyFile(
        _ setting: KnownSetting,
        _ kind: String,
        _ layers: SettingLayers,
        _ protection: KeyProtection,
        minimumBytes: Int = 0
    ) -> LedgerKeyFile? {
        let place = layers.place(setting)
        guard let text = layers.text(setting),
            let path = existingFile(text, kind, at: place, minimumBytes: minimumBytes)
        else { return nil }
        let file = LedgerKeyFile(path: path, isCredential: directory.isCredential(path))
        do throws(ValueFault) {
            let isGroupReadable = protection.isGroupReadable || file.isCredential
            try RegularFile.checkIsPrivate(path, isGroupReadable: isGroupReadable)
        } catch {
            faults.fault(place, "\(Echo.path(path)) \(error.message)")
        }
        return file
    }

    private func absolute(_ location: LedgerLocation, isGiven: Bool) -> LedgerLocation {
        guard case .sqlite(let path) = location else { return location }
        return .sqlite(path: isGiven ? directory.resolve(path) : directory.stateFile(path))
    }

    /// Apple's addresses.
    ///
    /// - Parameters:
    ///   - layers: The settings.
    ///   - additionalRoots: The roots of the file.
    /// - Returns: The addresses.
    func appStore(_ layers: SettingLayers, additionalRoots: [TrustedRoot]) -> AppStoreSettings {
        AppStoreSettings(
            verifyReceiptURL: layers.text(.verifyReceiptURL) ?? "",
            sandboxVerifyReceiptURL: layers.text(.sandboxVerifyReceiptURL) ?? "",
            serverAPIURL: layers.text(.serverAPIURL) ?? "",
            sandboxServerAPIURL: layers.text(.sandboxServerAPIURL) ?? "",
            timeoutSeconds: layers.number(.appStoreTimeoutSeconds),
            requestsPerSecond: layers.number(.appStoreRequestsPerSecond),
            additionalRoots: additionalRoots
        )
    }
}
