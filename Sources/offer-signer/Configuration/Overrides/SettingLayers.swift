import Configuration

/// The scalars of `offer-signer.yaml` after its overrides.
///
/// Flags win over the environment, that over the file, that over the defaults.
///
/// The providers of swift-configuration hold the layers and give text. The text is parsed here, strictly, because their
/// typed getters turn a malformed value into the default. What a stronger layer hides must be well-formed too.
struct SettingLayers {
    /// A value of the file.
    struct FileValue {
        /// The text.
        let text: String
        /// Where it stands.
        let place: ConfigurationPlace
    }

    private struct Given {
        let text: String
        let place: ConfigurationPlace
    }

    private let given: [KnownSetting: Given]
    private let file: ConfigurationFile

    /// Looks up every known setting in every layer and records the faults of malformed values.
    ///
    /// - Parameters:
    ///   - values: The values of the file, where it has them.
    ///   - file: The file.
    ///   - flags: The values of flags, by key path.
    ///   - environment: All environment variables.
    ///   - faults: Where faults go.
    init(
        values: [KnownSetting: FileValue],
        of file: ConfigurationFile,
        flags: [String: String],
        environment: [String: String],
        _ faults: FaultCollector
    ) {
        let flagValues = KnownSetting.allCases.compactMap { setting in
            flags[setting.keyPath].map { (setting.configKey, ConfigValue(.string($0), isSecret: false)) }
        }
        let flagLayer = InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: flagValues))
        let environmentLayer = EnvironmentVariablesProvider(environmentVariables: environment)
        var given: [KnownSetting: Given] = [:]
        for setting in KnownSetting.allCases {
            var layers: [Given] = []
            if let text = Self.lookUp(setting, in: flagLayer)?.text {
                layers.append(Self.override(.flag("--" + setting.flagName), of: setting, text))
            }
            if let (name, text) = Self.lookUp(setting, in: environmentLayer) {
                layers.append(Self.override(.environment(name), of: setting, text))
            }
            if let value = values[setting] {
                layers.append(Given(text: value.text, place: value.place))
            }
            for layer in layers {
                do throws(ValueFault) {
                    try setting.definition.type.check(layer.text)
                } catch {
                    faults.fault(layer.place, error.message + Self.mend(layer.text, layer.place))
                }
            }
            given[setting] = layers.first
        }
        self.given = given
        self.file = file
    }

    /// Whether the file or an override gives the setting.
    ///
    /// - Parameter setting: The setting.
    /// - Returns: `false` when its default holds.
    func isGiven(_ setting: KnownSetting) -> Bool { given[setting] != nil }

    /// Where the setting's value comes from; the file as a whole for a default.
    ///
    /// - Parameter setting: The setting.
    /// - Returns: The place.
    func place(_ setting: KnownSetting) -> ConfigurationPlace {
        given[setting]?.place ?? ConfigurationPlace(origin: .file(file.name, line: nil), keyPath: setting.keyPath)
    }

    /// The setting's text; `nil` when it has neither a value nor a default.
    ///
    /// A malformed one has its fault already.
    ///
    /// - Parameter setting: The setting.
    /// - Returns: The text.
    func text(_ setting: KnownSetting) -> String? {
        if let given = given[setting] { return given.text }
        guard case .value(let text) = setting.definition.fallback else { return nil }
        return text
    }

    /// The setting's number; 0 for a malformed one, which has its fault already.
    ///
    /// - Parameter setting: A setting that is a whole number.
    /// - Returns: The number.
    func number(_ setting: KnownSetting) -> Int { text(setting).flatMap(Int.init) ?? 0 }

    /// The setting's truth value; `false` for a malformed one, which has its fault already.
    ///
    /// - Parameter setting: A setting that is true or false.
    /// - Returns: The truth value.
    func isTrue(_ setting: KnownSetting) -> Bool { text(setting) == "true" }

    private static func lookUp(_ setting: KnownSetting, in layer: any ConfigProvider) -> (name: String, text: String)? {
        // A provider can only fail to convert, and text needs no conversion.
        guard let result = try? layer.value(forKey: setting.configKey, type: .string),
            case .string(let text) = result.value?.content
        else { return nil }
        return (result.encodedKey, text)
    }

    private static func override(
        _ origin: ConfigurationPlace.Origin,
        of setting: KnownSetting,
        _ text: String
    ) -> Given {
        Given(text: text, place: ConfigurationPlace(origin: origin, keyPath: setting.keyPath))
    }

    /// Kubernetes sets `OFFER_SIGNER_ADMIN_PORT=tcp://10.0.0.1:9090` for a Service that is called `offer-signer-admin`.
    private static func mend(_ text: String, _ place: ConfigurationPlace) -> String {
        guard case .environment = place.origin, text.hasPrefix("tcp://") || text.hasPrefix("udp://") else { return "" }
        return "; Kubernetes sets this for a Service of that name: set enableServiceLinks: false on the pod"
    }
}
