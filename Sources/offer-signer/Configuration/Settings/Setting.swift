/// A value of `offer-signer.yaml`, with all that the file, the environment, the flags, their help and the reference in
/// `docs/configuration.md` need to know of it.
struct Setting<Value: Sendable>: Sendable {
    /// Its description, whatever the type of its value.
    let entry: SettingEntry
    /// What holds where nothing is given.
    let fallback: Value
    /// Reads the value of a text.
    let parse: @Sendable (String) throws(ValueFault) -> Value

    /// A setting with a default.
    init(
        _ keyPath: String,
        _ kind: SettingKind<Value>,
        default fallback: Value,
        _ meaning: String,
        changes: SettingEntry.Change = .atReload
    ) {
        entry = SettingEntry(keyPath, kind, .value(kind.text(fallback)), meaning, changes: changes)
        self.fallback = fallback
        parse = kind.parse
    }

    /// A setting that may be left out.
    ///
    /// - Parameters:
    ///   - keyPath: Its keys in the file.
    ///   - kind: What kind of value it has.
    ///   - absent: What holds without it, in words.
    ///   - meaning: What it is for, with its unit.
    ///   - changes: When another value takes effect.
    init<Wrapped>(
        _ keyPath: String,
        _ kind: SettingKind<Wrapped>,
        without absent: String,
        _ meaning: String,
        changes: SettingEntry.Change = .atReload
    ) where Value == Wrapped? {
        entry = SettingEntry(keyPath, kind, .words(absent), meaning, changes: changes)
        fallback = nil
        parse = { text throws(ValueFault) in try kind.parse(text) }
    }
}

/// A list of `offer-signer.yaml`, which neither the environment nor a flag can give.
struct SettingList: Sendable {
    /// Its description.
    let entry: SettingEntry

    /// A list that may be left out.
    ///
    /// - Parameters:
    ///   - keyPath: Its keys in the file.
    ///   - kind: What kind of values it has.
    ///   - absent: What holds without it, in words.
    ///   - meaning: What it is for.
    init<Element>(_ keyPath: String, of kind: SettingKind<Element>, without absent: String, _ meaning: String) {
        entry = SettingEntry(keyPath, kind, .words(absent), meaning, isList: true)
    }
}

/// The description of a setting, whatever the type of its value.
struct SettingEntry: Sendable {
    /// What holds where a setting is not given.
    enum Fallback: Equatable, Sendable {
        /// Its default.
        case value(String)
        /// Something that is no value, in words.
        case words(String)
    }

    /// When another value takes effect.
    enum Change: Sendable {
        /// A change takes effect at the next reload.
        case atReload
        /// A change takes effect at the next start.
        case atStart
        /// A change takes effect at the next reload, or at the next start if the setting was added or removed.
        case onlyPresenceAtStart
    }

    /// The first part of the names of our environment variables.
    static let variablePrefix = "OFFER_SIGNER_"

    /// Its keys in the file, such as `server.port`.
    let keyPath: String
    /// The kind of its value in words.
    let type: String
    /// What stands for the value in a usage line.
    let placeholder: String
    /// Whether the file writes it without quotation marks.
    let isPlain: Bool
    /// Whether a log may have its value: not the path of a file, nor a URL.
    let isShown: Bool
    /// Whether it is a list, which the file alone can give.
    let isList: Bool
    /// What holds where it is not given.
    let fallback: Fallback
    /// Its purpose, with its unit.
    let meaning: String
    /// When another value takes effect.
    let changes: Change
    /// Checks a value's text.
    let check: @Sendable (String) throws(ValueFault) -> Void

    /// Describes a setting.
    ///
    /// - Parameters:
    ///   - keyPath: Its keys in the file.
    ///   - kind: What kind of value it has.
    ///   - fallback: What holds where it is not given.
    ///   - meaning: What it is for, with its unit.
    ///   - isList: Whether it is a list.
    ///   - changes: When another value takes effect.
    init<Value>(
        _ keyPath: String,
        _ kind: SettingKind<Value>,
        _ fallback: Fallback,
        _ meaning: String,
        isList: Bool = false,
        changes: Change = .atReload
    ) {
        self.keyPath = keyPath
        self.isList = isList
        type = kind.name
        placeholder = kind.placeholder
        isPlain = kind.isPlain
        isShown = kind.isShown
        self.changes = changes
        self.fallback = fallback
        self.meaning = meaning
        check = { text throws(ValueFault) in _ = try kind.parse(text) }
    }

    /// The needed kind of value, for faults.
    var needed: String { isPlain && !type.hasPrefix("whole") ? type : "a \(type)" }

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
        return "\(keyPath) (\(type), \(holds)): \(meaning)"
    }

    /// The row of the reference in `docs/configuration.md`.
    var row: String {
        let holds =
            switch fallback {
            case .value(let text): "`\(text)`"
            case .words(let words): words
            }
        let type = isList ? "list, in the file alone: \(type)" : type
        return "| `\(keyPath)` | \(type) | \(holds) | \(meaning) |"
    }
}
