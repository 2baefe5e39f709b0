/// The settings after their overrides: each is a member, by its name in ``SettingTable``.
///
/// Flags win over the environment, that over the file, that over the defaults. A hidden value must be well-formed
/// too. A malformed value is a fault, and its setting has its default.
@dynamicMemberLookup
struct SettingLayers: Sendable {
    struct Given: Sendable {
        let text: String
        let place: ConfigurationPlace
    }

    typealias Key<Value: Sendable> = KeyPath<SettingTable, Setting<Value>>

    private var given: [String: Given] = [:]
    private var malformed: Set<String> = []
    private let file: ConfigurationFile

    init(
        values: [String: Given],
        of file: ConfigurationFile,
        flags: [String: String],
        environment: [String: String],
        _ faults: FaultCollector
    ) {
        self.file = file
        for entry in SettingTable.scalars {
            let keyPath = entry.keyPath
            func override(_ text: String?, _ origin: ConfigurationPlace.Origin) -> Given? {
                text.map { Given(text: $0, place: ConfigurationPlace(origin: origin, keyPath: keyPath)) }
            }
            let layers = [
                override(flags[keyPath], .flag("--" + entry.flagName)),
                override(environment[entry.variableName], .environment(entry.variableName)), values[keyPath],
            ].compactMap(\.self)
            for layer in layers {
                do throws(ValueFault) {
                    _ = try entry.kind.parse(layer.text)
                } catch {
                    malformed.insert(keyPath)
                    faults.fault(layer.place, error.message)
                }
            }
            given[keyPath] = layers.first
        }
    }

    subscript<Value>(dynamicMember key: Key<Value>) -> Value {
        let setting = SettingTable.shared[keyPath: key]
        guard let text = given[setting.entry.keyPath]?.text, let value = try? setting.parse(text) else {
            return setting.fallback
        }
        return value
    }

    func isGiven<Value>(_ key: Key<Value>) -> Bool { given[SettingTable.shared[keyPath: key].entry.keyPath] != nil }

    /// Whether one of the setting's layers is malformed, which has its fault.
    func isMalformed<Value>(_ key: Key<Value>) -> Bool {
        malformed.contains(SettingTable.shared[keyPath: key].entry.keyPath)
    }

    /// The place that gives the setting; the file as a whole for a default.
    func place<Value>(_ key: Key<Value>) -> ConfigurationPlace {
        let keyPath = SettingTable.shared[keyPath: key].entry.keyPath
        return given[keyPath]?.place ?? ConfigurationPlace(origin: .file(file.name, line: nil), keyPath: keyPath)
    }

    /// A fault of what the setting leads to, with the file, variable or flag that gives it, and the key path.
    func fault<Value>(of key: Key<Value>, _ message: String) -> ConfigurationFinding {
        let place = place(key)
        if case .file = place.origin { return ConfigurationFinding(place: place, message: message) }
        return ConfigurationFinding(place: place, message: "\(place.keyPath): \(message)")
    }

    /// Its default where it is not given; `nil` for a setting without a value.
    func text(_ entry: SettingEntry) -> String? {
        if let text = given[entry.keyPath]?.text { return text }
        if case .value(let text) = entry.fallback { return text }
        return nil
    }
}
