/// The labels of one series, written once as the text format wants them: names made valid, values escaped.
struct LabelSet: Hashable, Sendable {
    /// `name="value",…`, in the order given, without braces; empty for none.
    let text: String

    /// Writes labels.
    ///
    /// Of two labels with one name the first counts. Characters that a name may not have become `_`; `le` is the
    /// histogram's own, and gets one more.
    ///
    /// - Parameter dimensions: Names and values; values may hold anything.
    init(_ dimensions: [(String, String)]) {
        var names: Set<String> = []
        var text = ""
        for (name, value) in dimensions {
            var name = Self.validName(name)
            if name == "le" { name = "le_" }
            guard names.insert(name).inserted else { continue }
            if !text.isEmpty { text += "," }
            text += "\(name)=\"\(Self.escaped(value, quotes: true))\""
        }
        self.text = text
    }

    /// The labels with every value replaced: the series that is counted in when there are too many.
    ///
    /// - Parameter dimensions: Names and values.
    /// - Returns: The same names, each with the value `overflow`.
    static func overflow(of dimensions: [(String, String)]) -> LabelSet {
        LabelSet(dimensions.map { ($0.0, "overflow") })
    }

    /// A name as the format takes it: `[a-zA-Z_][a-zA-Z0-9_]*`, for metrics also with colons.
    ///
    /// - Parameters:
    ///   - name: Any name.
    ///   - allowsColons: Whether it is a metric's.
    /// - Returns: The name, each character that may not be there replaced by `_`.
    static func validName(_ name: String, allowsColons: Bool = false) -> String {
        var valid = ""
        for character in name.unicodeScalars {
            switch character {
            case "a"..."z", "A"..."Z", "_": valid.unicodeScalars.append(character)
            case "0"..."9" where !valid.isEmpty: valid.unicodeScalars.append(character)
            case ":" where allowsColons: valid.unicodeScalars.append(character)
            default: valid += "_"
            }
        }
        return valid.isEmpty ? "_" : valid
    }

    /// A text as the format takes it: backslash and line feed escaped, in label values also the quotation mark.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - quotes: Whether it is a label's value.
    /// - Returns: The text in one line.
    static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
