/// Identifiers that the configuration shares with App Store Connect and with requests: compared byte for byte.
enum Identifier {
    /// How many bytes of UTF-8 an identifier may take: a request cannot name a longer one.
    static let maximumBytes = 255

    /// U+2063 separates the fields of the text that Apple has signed, so no field may hold it (Apple, "Generating a
    /// signature for promotional offers").
    static func parse(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty else { throw ValueFault("is empty; write the identifier") }
        guard !Echo.holdsKey(text) else {
            throw ValueFault(
                "is a private key, not repeated here; put it into a file of mode 600, and write the identifier here"
            )
        }
        guard text.utf8.count <= maximumBytes else {
            throw ValueFault("has \(text.utf8.count) bytes; requests can name \(maximumBytes) at the most, shorten it")
        }
        if let invisible = text.unicodeScalars.first(where: Echo.isInvisible) {
            throw ValueFault(
                "\(Echo.name(text)) has the invisible character \(Echo.codePoint(invisible)); take it out"
            )
        }
        let first = text.unicodeScalars.first
        let last = text.unicodeScalars.last
        guard first?.properties.isWhitespace == false, last?.properties.isWhitespace == false else {
            throw ValueFault("\(Echo.name(text)) begins or ends with white space; take it out")
        }
        return text
    }
}
