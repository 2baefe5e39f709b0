/// The name of a private key in a token (RFC 7512), such as `pkcs11:token=offers;object=KEYID?pin-source=file:offers.pin`.
///
/// A fault repeats no value: one of them may be a PIN in the wrong place.
package struct TokenURI: Hashable, Sendable {
    /// Attributes that are a text, by their names: those of a token, its slot and its module, and `object` (the label).
    package private(set) var texts: [String: String] = [:]
    package private(set) var id: [UInt8]?
    package private(set) var slotId: UInt?
    /// As it is written.
    package private(set) var modulePath: String?
    /// The file that holds the PIN, as it is written; `nil` for a token that needs none.
    package private(set) var pinSource: String?

    package init(_ text: String) throws(KeyError) {
        guard text.prefix(7).lowercased() == "pkcs11:" else { throw Self.fault("does not begin with pkcs11:") }
        let parts = text.dropFirst(7).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var known: Set<Substring> = []
        for (part, separator) in zip(parts, ";&") {
            for pair in part.split(separator: separator) {
                let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard halves.count == 2 else { throw Self.fault("has a part that is not name=value") }
                guard known.insert(halves[0]).inserted else { throw Self.fault("has an attribute twice") }
                guard let value = Self.decoded(halves[1]) else {
                    throw Self.fault("has a character that has to be written as % and two hexadecimal digits")
                }
                try parseAttribute(String(halves[0]), value, isQuery: separator == "&")
            }
        }
        guard texts["object"] != nil || id != nil else {
            throw Self.fault("names no key: write object= (its label) or id=")
        }
    }

    private mutating func parseAttribute(_ name: String, _ value: [UInt8], isQuery: Bool) throws(KeyError) {
        switch (name, isQuery) {
        case (_, false) where Self.textNames.contains(name):
            texts[name] = value.isEmpty && name != "object" ? "" : try Self.text(value, of: name)
            if name == "library-version", let major = texts[name], !major.contains(".") { texts[name] = major + ".0" }
        case ("id", false):
            guard !value.isEmpty else { throw Self.fault("has an empty id") }
            id = value
        case ("slot-id", false):
            slotId = UInt(try Self.text(value, of: name))
            if slotId == nil { throw Self.fault("has a slot-id that is no decimal number") }
        // A private key is what is looked for: tools write it out.
        case ("type", false):
            guard value == Array("private".utf8) else { throw Self.fault("has another type than private") }
        case ("module-path", true): modulePath = try Self.text(value, of: name)
        case ("pin-source", true):
            let source = try Self.text(value, of: name)
            guard !source.hasPrefix("|") else {
                throw Self.fault("has a command as pin-source, and none is run: name a file")
            }
            var path = source[...]
            if source.hasPrefix("file:") {
                path = path.dropFirst(5)
                // A URI of a file may have an authority, which is empty (RFC 8089).
                if path.hasPrefix("//") { path = path.dropFirst(2) }
            }
            guard !path.isEmpty else { throw Self.fault("has an empty pin-source") }
            pinSource = String(path)
        case ("pin-value", _):
            throw Self.fault("has the PIN itself, pin-value: write it to a file of mode 600, and name that")
        case ("module-name", _): throw Self.fault("has module-name; write module-path with one of pkcs11.modules")
        case ("pin-source", false), ("module-path", false):
            throw Self.fault("has \(name) before the question mark, where it goes after it")
        default:
            throw Self.fault(
                "has an attribute that is not known here; known are \(Self.textNames.joined(separator: ", ")), slot-id, id and "
                    + "type, and after a question mark module-path and pin-source"
            )
        }
    }

    /// Those but the first may be empty: so is what they name, then (RFC 7512 §2.4).
    private static let textNames = [
        "object", "token", "serial", "manufacturer", "model", "slot-manufacturer", "slot-description",
        "library-manufacturer", "library-description", "library-version",
    ]

    private static func fault(_ clause: String) -> KeyError {
        KeyError(.token, "the PKCS#11 URI \(clause), as in pkcs11:token=offers;object=KEYID?pin-source=file:offers.pin")
    }

    private static func text(_ value: [UInt8], of name: String) throws(KeyError) -> String {
        guard !value.isEmpty, let text = String(validating: value, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw fault("has an empty or unreadable \(name)") }
        return text
    }

    /// The bytes of a value, in which `%41` is one; `nil` where a character may not stand in it (RFC 7512 §2.3).
    private static func decoded(_ value: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = value.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = String(Substring(rest.prefix(2)))
                guard digits.utf8.count == 2, digits.first != "+", digits.first != "-",
                    let number = UInt8(digits, radix: 16)
                else { return nil }
                bytes.append(number)
                rest = rest.dropFirst(2)
            case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: ";"):
                return nil
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
