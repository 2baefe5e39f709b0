/// Accidents of key files on their way from App Store Connect to a server, recognised by their text.
///
/// Like ``PEMArmour``, it looks and answers in words: no byte of the text is copied.
enum KeyAccident {
    private static let base64OfBegin = Array("LS0tLS1CRUdJTi".utf8)  // of "-----BEGIN "
    private static let dashes = Array("-----".utf8)

    /// Recognises an accident.
    ///
    /// - Parameters:
    ///   - text: A text that does not begin with the armour of a key.
    ///   - content: Where it begins and ends, blanks left out.
    /// - Returns: The fault; `nil` when it is none of the usual ones.
    static func fault(in text: Span<UInt8>, at content: ClosedRange<Int>) -> KeyError? {
        let first = content.lowerBound
        if text.starts(with: [0xEF, 0xBB, 0xBF], at: first) {
            return KeyError(
                .byteOrderMark,
                "begins with a byte order mark, which some editors put before text in UTF-8"
            )
        }
        if text.starts(with: [0xFF, 0xFE], at: first) || text.starts(with: [0xFE, 0xFF], at: first) {
            return KeyError(.utf16, "is text in UTF-16, which some editors and shells write")
        }
        if isQuote(text[first]) {
            return KeyError(.quoted, "begins with a quotation mark, which is not a part of the key")
        }
        // 0x30 is a SEQUENCE, the first byte of every DER key.
        if text[first] == 0x30, content.contains(where: { text[$0] > 0x7F }) {
            return KeyError(.der, "is binary, perhaps DER, and not PEM")
        }
        if text.starts(with: base64OfBegin, at: first) {
            return KeyError(.encodedTwice, "is the Base64 of a PEM file, and not the file")
        }
        return embedded(in: text, at: content) ?? bareBase64(in: text, at: content)
    }

    /// A key in the midst of another text.
    private static func embedded(in text: Span<UInt8>, at content: ClosedRange<Int>) -> KeyError? {
        let first = content.lowerBound
        if content.contains(where: { text.starts(with: base64OfBegin, at: $0) }) {
            return KeyError(.encodedTwice, "holds the Base64 of a PEM file among other text")
        }
        guard let start = content.first(where: { isBegin(of: text, at: $0) }) else { return nil }
        if text.starts(with: Array(#"{\rtf"#.utf8), at: first) {
            return KeyError(.richText, "is rich text (RTF) with a key in it, as some editors save text")
        }
        if text[first] == UInt8(ascii: "{") || text[first] == UInt8(ascii: "[") {
            return KeyError(.embedded, "is JSON with a key in it, and not the key alone")
        }
        let before = (first..<start).last { !PEMArmour.isBlank(text[$0]) && !isQuote(text[$0]) }
        if let before, text[before] == UInt8(ascii: "=") {
            return KeyError(.embedded, "is an environment file (NAME=VALUE) with a key in it, and not the key alone")
        }
        return KeyError(.embedded, "holds something before the key's BEGIN line")
    }

    /// Whether the BEGIN line of a private key is at a place, whichever kind of private key it is.
    private static func isBegin(of text: Span<UInt8>, at start: Int) -> Bool {
        guard text.starts(with: Array("-----BEGIN ".utf8), at: start) else { return false }
        return ["", "EC ", "ENCRYPTED ", "RSA "].contains { kind in
            text.starts(with: Array("\(kind)PRIVATE KEY-----".utf8), at: start + 11)
        }
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// The literal backslash sequences that stand for line ends in JSON and environment files.
    static func escapedLineEnds(in text: Span<UInt8>, from start: Int) -> KeyError? {
        let isEscaped = (start..<max(start, text.count - 1)).contains { index in
            text[index] == UInt8(ascii: "\\")
                && (text[index + 1] == UInt8(ascii: "n") || text[index + 1] == UInt8(ascii: "r"))
        }
        return isEscaped ? KeyError(.escapedLineEnds, #"has its line ends written as "\n""#) : nil
    }

    /// A key without its armour, or with the END line alone.
    private static func bareBase64(in text: Span<UInt8>, at content: ClosedRange<Int>) -> KeyError? {
        // A SEQUENCE of more than 127 bytes is 0x30 0x8…, "MI" in Base64; a shorter one of an EC key is "MH".
        let first = content.lowerBound
        guard text.starts(with: Array("MI".utf8), at: first) || text.starts(with: Array("MH".utf8), at: first) else {
            return nil
        }
        let end = content.first { text.starts(with: dashes, at: $0) }
        let body = first..<(end ?? content.upperBound + 1)
        if body.contains(where: { text[$0] == UInt8(ascii: "\\") }) { return escapedLineEnds(in: text, from: first) }
        guard body.allSatisfy({ PEMArmour.isBase64($0, in: text) }) else { return nil }
        return KeyError(
            .missingArmour,
            end == nil ? "is the Base64 of a key without its lines BEGIN and END" : "has an END line, but no BEGIN line"
        )
    }
}

extension Span<UInt8> {
    /// Whether some bytes are at a place.
    func starts(with pattern: [UInt8], at start: Int) -> Bool {
        guard start + pattern.count <= count else { return false }
        return pattern.indices.allSatisfy { self[start + $0] == pattern[$0] }
    }
}
