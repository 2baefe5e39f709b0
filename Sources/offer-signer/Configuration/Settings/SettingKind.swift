/// The kinds of values that a file, a variable or a flag gives as a text.
struct SettingKind<Value: Sendable>: Sendable {
    let name: String
    /// In a usage line.
    let placeholder: String
    /// Whether the file writes it without quotation marks.
    var isPlain = false
    /// Whether a log may have the value.
    var isShown = true
    /// Whether it says where something is on the network.
    var isAddress = false
    var text: @Sendable (Value) -> String = { "\($0)" }
    let parse: @Sendable (String) throws(ValueFault) -> Value
}

extension SettingKind<Int> {
    static func wholeNumber(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind(name: "whole number \(WholeNumber.describe(range))", placeholder: "number", isPlain: true) {
            text throws(ValueFault) in try WholeNumber.parse(text, in: range)
        }
    }

    /// A TCP port; 0 lets the system choose.
    static var port: SettingKind {
        var kind = wholeNumber(0...65535)
        kind.isAddress = true
        return kind
    }

    /// A length of time in seconds, up to a hundred years, which any clock's arithmetic can hold.
    static var seconds: SettingKind { wholeNumber(0...3_155_760_000) }
}

extension SettingKind<Bool> {
    static var boolean: SettingKind {
        SettingKind(name: "true or false", placeholder: "true|false", isPlain: true, parse: TruthValue.parse)
    }
}

extension SettingKind<String> {
    static var host: SettingKind {
        SettingKind(name: "host", placeholder: "host", isAddress: true, parse: HostName.parse)
    }

    static var file: SettingKind {
        SettingKind(name: "file", placeholder: "file", isShown: false, parse: FilePathText.parse)
    }

    /// An `https` URL, or `http` on this machine.
    static var url: SettingKind {
        SettingKind(
            name: "https URL, or http to this machine",
            placeholder: "url",
            isShown: false,
            parse: HTTPURL.parse
        )
    }
}

extension SettingKind<LedgerLocation> {
    static var ledgerURL: SettingKind {
        SettingKind(
            name: "sqlite:FILE or postgres://USER@HOST/DB",
            placeholder: "url",
            isShown: false,
            text: { location in
                switch location {
                case .sqlite(let path): "sqlite:" + path
                case .postgres(let url): url
                }
            },
            parse: LedgerURL.parse
        )
    }
}

extension SettingKind where Value: RawRepresentable<String> & CaseIterable {
    static var choice: SettingKind {
        let words = Value.allCases.map(\.rawValue)
        return SettingKind(
            name: words.joined(separator: ", "),
            placeholder: words.joined(separator: "|"),
            text: { $0.rawValue },
            parse: { text throws(ValueFault) in
                guard let value = Value(rawValue: text) else {
                    let hint = Echo.hint(for: text, among: words)
                    throw ValueFault("\(Echo.name(text)) is not one of the choices; \(hint)")
                }
                return value
            }
        )
    }
}
