import Storage

/// The kinds of values that a file, a variable or a flag gives as a text.
struct ValueKind<Value: Sendable>: Sendable {
    let name: String
    /// Before the name in a sentence.
    var article = "a"
    /// In a usage line.
    var placeholder = ""
    /// Whether the file writes it without quotation marks.
    var isPlain = false
    /// Whether a log and the record of the configuration in use may have the value.
    var isShown = true
    /// Whether it says where something is on the network.
    var isAddress = false
    var text: @Sendable (Value) -> String = { "\($0)" }
    let parse: @Sendable (String) throws(ValueFault) -> Value

    /// To come before "is needed".
    var needed: String { article.isEmpty ? name : article + " " + name }

    /// The kind of the texts of its values, each as its value is written, so that texts of one value are the same.
    var ofTexts: ValueKind<String> {
        ValueKind<String>(
            name: name,
            article: article,
            placeholder: placeholder,
            isPlain: isPlain,
            isShown: isShown,
            isAddress: isAddress
        ) { [text, parse] given throws(ValueFault) in text(try parse(given)) }
    }
}

/// A text is not a value of the kind asked for.
struct ValueFault: Error, Equatable {
    let message: String
    /// Whether a restart is of no use until somebody changes the ledger or its settings.
    let isLasting: Bool

    init(_ message: String, isLasting: Bool = false) {
        self.message = message
        self.isLasting = isLasting
    }
}

extension ValueKind<Int> {
    /// Decimal digits, nothing else.
    ///
    /// YAML's other spellings (`010`, `0x1F`, `1_000`, `1e3`) are refused: readers of a file disagree about them.
    static func wholeNumber(_ range: ClosedRange<Int>) -> ValueKind {
        let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
        let name = "whole number from \(range.lowerBound)\(end)"
        return ValueKind(name: name, placeholder: "number", isPlain: true) { text throws(ValueFault) in
            guard let number = Int(text), String(number) == text, range.contains(number) else {
                throw ValueFault("is not a \(name); write decimal digits")
            }
            return number
        }
    }

    /// A TCP port; 0 lets the system choose.
    static var port: ValueKind {
        var kind = wholeNumber(0...65535)
        kind.isAddress = true
        return kind
    }

    /// A length of time in seconds, up to a hundred years, which any clock's arithmetic can hold.
    static var seconds: ValueKind { wholeNumber(0...3_155_760_000) }
}

extension ValueKind<Bool> {
    static var boolean: ValueKind {
        ValueKind(name: "true or false", article: "", placeholder: "true|false", isPlain: true) {
            text throws(ValueFault) in
            guard let value = Bool(text) else { throw ValueFault("is neither true nor false") }
            return value
        }
    }
}

extension ValueKind<String> {
    static var host: ValueKind {
        ValueKind(name: "host", placeholder: "host", isAddress: true, parse: HostName.parse)
    }

    static var file: ValueKind { path("file", article: "a") }

    static func path(_ name: String, article: String = "the path of") -> ValueKind {
        ValueKind(name: name, article: article, placeholder: "file", isShown: false) { text throws(ValueFault) in
            guard !text.isEmpty else { throw ValueFault("is empty; write the path of a file") }
            guard !Echo.holdsPrivateKey(text) else { throw ValueFault(Echo.keyItself) }
            guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw ValueFault("is not the path of a file: it has line breaks or other control characters")
            }
            return text
        }
    }

    /// An `https` URL, or `http` on this machine.
    static var url: ValueKind {
        ValueKind(
            name: "https URL, or http to this machine",
            article: "an",
            placeholder: "url",
            isShown: false,
            parse: HTTPURL.parse
        )
    }
}

extension ValueKind<LedgerLocation> {
    /// An SQLite path stays as it was written.
    ///
    /// A password belongs into a passfile.
    static var ledgerURL: ValueKind {
        ValueKind(
            name: "sqlite:FILE or postgres://USER@HOST/DB",
            article: "",
            placeholder: "url",
            isShown: false,
            text: { location in
                switch location {
                case .sqlite(let path): "sqlite:" + path
                case .postgres(let url): url
                }
            },
            parse: { text throws(ValueFault) in
                if text.hasPrefix("sqlite:") {
                    let path = String(text.dropFirst("sqlite:".count))
                    guard !path.isEmpty else { throw ValueFault("names no file; write sqlite:ledger.sqlite") }
                    return .sqlite(path: try ValueKind<String>.file.parse(path))
                }
                guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
                    // A URL of another scheme may hold a password too: it is not repeated.
                    throw ValueFault("is neither sqlite:FILE nor postgres://USER@HOST/DB")
                }
                do throws(PostgreSQLError) {
                    _ = try PostgreSQLLocation(url: text)
                } catch {
                    throw ValueFault(error.detail)
                }
                return .postgres(url: text)
            }
        )
    }
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
    static var choice: ValueKind { choice(of: Array(Value.allCases)) }

    static func choice(of values: [Value]) -> ValueKind {
        let words = values.map(\.rawValue)
        return ValueKind(
            name: words.joined(separator: ", "),
            article: "one of",
            placeholder: words.joined(separator: "|"),
            text: { $0.rawValue },
            parse: { text throws(ValueFault) in
                guard let value = values.first(where: { $0.rawValue == text }) else {
                    throw ValueFault(
                        "\(Echo.name(text)) is not one of the choices; \(Echo.hint(for: text, among: words))"
                    )
                }
                return value
            }
        )
    }
}
