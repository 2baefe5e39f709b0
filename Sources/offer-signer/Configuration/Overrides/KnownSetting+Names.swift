import Configuration

/// The names of a setting outside the file.
extension KnownSetting {
    /// What the names of our environment variables begin with.
    static let variablePrefix = "OFFER_SIGNER_"

    /// The command line flag without its dashes, such as `server-drain-delay-seconds`.
    var flagName: String {
        var name = ""
        // APIURL is two words, which the letters alone do not tell.
        for character in keyPath.replacing("APIURL", with: "ApiURL") {
            if character == "." {
                name += "-"
            } else {
                if character.isUppercase, name.last?.isLowercase == true { name += "-" }
                name.append(character)
            }
        }
        return name.lowercased()
    }

    /// The environment variable, such as `OFFER_SIGNER_SERVER_DRAIN_DELAY_SECONDS`.
    var variableName: String { Self.variablePrefix + flagName.uppercased().replacing("-", with: "_") }

    /// The key under which the environment and the flags are asked for the setting.
    ///
    /// `EnvironmentVariablesProvider` makes `OFFER_SIGNER_SERVER_DRAIN_DELAY_SECONDS` of
    /// `offer-signer.server-drain-delay-seconds`.
    var configKey: AbsoluteConfigKey { AbsoluteConfigKey(["offer-signer", flagName]) }

    /// The documentation of the setting: `server.port (whole number from 0 to 65535, default 8080): meaning`.
    var documentation: String {
        let fallback =
            switch definition.fallback {
            case .required: "required"
            case .none: "no default"
            case .value(let text): "default \(text)"
            }
        return "\(keyPath) (\(definition.type.name), \(fallback)): \(definition.meaning)"
    }
}
