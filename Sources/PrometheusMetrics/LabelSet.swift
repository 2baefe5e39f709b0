/// The labels of one series, written once as the text format wants them: names made valid, values escaped.
struct LabelSet: Hashable, Sendable {
    /// `name="value",…`, in the order given, without braces; empty for none.
    let text: String
    /// The names as they are written, and the values.
    let pairs: [(name: String, value: String)]

    /// Writes labels.
    ///
    /// Of two labels with one name the first counts. Characters that a name may not have become `_`; `le` is the
    /// histogram's own, and gets one more.
    init(_ dimensions: [(String, String)]) {
        // There are a few, so they are looked through.
        var pairs: [(name: String, value: String)] = []
        var text: [UInt8] = []
        text.reserveCapacity(128)
        for (name, value) in dimensions {
            var name = Self.validName(name)
            if name == "le" { name = "le_" }
            guard !pairs.contains(where: { $0.name == name }) else { continue }
            pairs.append((name, value))
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            text += name.utf8
            text += "=\"".utf8
            text += Self.escaped(value, quotes: true).utf8
            text.append(UInt8(ascii: "\""))
        }
        self.text = String(decoding: text, as: UTF8.self)
        self.pairs = pairs
    }

    static func == (left: LabelSet, right: LabelSet) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The labels with each value replaced by `overflow`: the series that is counted in when there are too many.
    static func overflow(of dimensions: [(String, String)]) -> LabelSet {
        LabelSet(dimensions.map { ($0.0, "overflow") })
    }

    /// A name as the format takes it: `[a-zA-Z_][a-zA-Z0-9_]*`, for metrics also with colons.
    ///
    /// Other characters become `_`.
    static func validName(_ name: String, allowsColons: Bool = false) -> String {
        // Nearly all names are valid as they are, and a catalog has very many labels.
        let bytes = name.utf8.span
        guard bytes.isEmpty || !bytes.indices.allSatisfy({ mayName(bytes[$0], at: $0, allowsColons: allowsColons) })
        else { return name }
        var valid = ""
        for (index, character) in name.unicodeScalars.enumerated() {
            let isAllowed = UInt8(exactly: character.value).map { mayName($0, at: index, allowsColons: allowsColons) }
            if isAllowed == true { valid.unicodeScalars.append(character) } else { valid += "_" }
        }
        return valid.isEmpty ? "_" : valid
    }

    /// Whether a character may stand where it does in a name; one of ASCII's is its own byte, others never may.
    private static func mayName(_ character: UInt8, at index: Int, allowsColons: Bool) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
        case UInt8(ascii: ":"): allowsColons
        default: false
        }
    }

    /// A text as the format takes it: backslash and line feed escaped, in label values also the quotation mark.
    static func escaped(_ text: String, quotes: Bool) -> String {
        guard needsEscapes(text, quotes: quotes) else { return text }
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

    private static func needsEscapes(_ text: String, quotes: Bool) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "\\"), UInt8(ascii: "\n"): return true
            case UInt8(ascii: "\"") where quotes: return true
            default: break
            }
        }
        return false
    }
}
