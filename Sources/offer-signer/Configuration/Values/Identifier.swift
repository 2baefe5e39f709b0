import Offers

/// Identifiers that the configuration shares with App Store Connect and with requests: compared byte for byte.
enum Identifier {
    /// How many bytes of UTF-8 an identifier may take: a request cannot name a longer one.
    static let maximumBytes = 255

    /// How many characters a key identifier may have, of which Apple's have ten.
    ///
    /// A much longer text is something else, maybe the key itself, of which a few in a hundred are of letters and digits
    /// alone.
    private static let longestKey = 20

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

    /// Checks a key identifier of App Store Connect: a few ASCII letters and digits.
    static func parseKey(_ text: String) throws(ValueFault) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || isDigit($0)) }
        guard !text.isEmpty, text.utf8.count <= longestKey, isPlain else {
            throw ValueFault(
                "\(Echo.name(text)) is not a key id; App Store Connect shows it beside the key, ten letters and "
                    + "digits such as EXAMPLE123"
            )
        }
        return text
    }

    /// Checks the identifier of an issuer of App Store Connect keys: a UUID.
    static func parseIssuer(_ text: String) throws(ValueFault) -> String {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isUUID =
            parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.utf8.allSatisfy(Hexadecimal.isDigit) }
        guard isUUID else {
            throw ValueFault(
                "is not an issuer id; App Store Connect shows it above the keys, a UUID"
            )
        }
        return text
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
