/// A value of `offer-signer.yaml`, with all that the file, the environment, the flags, their help and the reference in
/// `docs/configuration.md` need to know of it.
struct Setting<Value: Sendable>: Sendable {
    let entry: SettingEntry
    let fallback: Value
    let parse: @Sendable (String) throws(ValueFault) -> Value

    init(
        _ keyPath: String,
        _ kind: ValueKind<Value>,
        default fallback: Value,
        _ meaning: String,
        changes: SettingEntry.Change = .atReload
    ) {
        entry = SettingEntry(
            keyPath: keyPath,
            kind: kind.ofTexts,
            fallback: .value(kind.text(fallback)),
            meaning: meaning,
            changes: changes
        )
        self.fallback = fallback
        parse = kind.parse
    }

    /// A setting that may be left out: `absent` says what holds then.
    init<Wrapped>(
        _ keyPath: String,
        _ kind: ValueKind<Wrapped>,
        without absent: String,
        _ meaning: String,
        changes: SettingEntry.Change = .atReload
    ) where Value == Wrapped? {
        entry = SettingEntry(
            keyPath: keyPath,
            kind: kind.ofTexts,
            fallback: .words(absent),
            meaning: meaning,
            changes: changes
        )
        fallback = nil
        parse = { text throws(ValueFault) in try kind.parse(text) }
    }
}

/// A list of `offer-signer.yaml`, which neither the environment nor a flag can give.
struct SettingList: Sendable {
    let entry: SettingEntry

    init<Element>(_ keyPath: String, of kind: ValueKind<Element>, without absent: String, _ meaning: String) {
        entry = SettingEntry(
            keyPath: keyPath,
            kind: kind.ofTexts,
            fallback: .words(absent),
            meaning: meaning,
            isList: true
        )
    }
}

struct SettingEntry: Sendable {
    enum Fallback: Equatable, Sendable {
        case value(String)
        /// Something that is no value.
        case words(String)
    }

    enum Change: Sendable {
        case atReload
        case atStart
        /// At the next reload, or at the next start if the setting was added or removed.
        case onlyPresenceAtStart
    }

    static let variablePrefix = "OFFER_SIGNER_"

    /// Its keys in the file, such as `server.port`.
    let keyPath: String
    /// Of the texts of its values, each as its value is written.
    let kind: ValueKind<String>
    let fallback: Fallback
    /// With its unit.
    let meaning: String
    var isList = false
    var changes = Change.atReload

    /// The command line flag without its dashes, such as `server-drain-delay-seconds`.
    var flagName: String {
        var name = ""
        // APIURL is two words, which the letters alone do not show.
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

    /// The line of the help: `server.port (whole number from 0 to 65535, default 8080): meaning`.
    var help: String {
        let holds =
            switch fallback {
            case .value(let text): "default \(text)"
            case .words("required"): "required"
            case .words(let words): "without it: \(words)"
            }
        return "\(keyPath) (\(kind.name), \(holds)): \(meaning)"
    }

    var row: String {
        let holds =
            switch fallback {
            case .value(let text): "`\(text)`"
            case .words(let words): words
            }
        let type = isList ? "list, in the file alone: \(kind.name)" : kind.name
        return "| `\(keyPath)` | \(type) | \(holds) | \(meaning) |"
    }
}
