/// The armour around a key: the lines BEGIN and END (RFC 7468).
///
/// It looks at the text where it lies and answers with positions, never with bytes of the body.
enum PEMArmour {
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    private static let longestLabel = 64

    /// Finds the Base64 between the lines BEGIN and END of the one `PRIVATE KEY` that the text may hold.
    ///
    /// Blank lines around the block are fine, as are CRLF and a missing final newline.
    ///
    /// - Returns: Where the Base64 is, line ends included.
    /// - Throws: A ``KeyFault`` that says what the text holds instead.
    static func locateBody(in text: Span<UInt8>) throws(KeyFault) -> Range<Int> {
        guard let first = text.indices.first(where: { !isBlank(text[$0]) }),
            let last = text.indices.last(where: { !isBlank(text[$0]) })
        else { throw KeyFault(.empty, "holds only blank lines") }

        guard matches(begin, in: text, at: first) else { throw notPEM(text, from: first) }
        let labelStart = first + begin.count
        guard let labelEnd = find(dashes, in: text, from: labelStart, upTo: labelStart + longestLabel),
            let label = label(text, labelStart..<labelEnd)
        else { throw KeyFault(.notPEM, "has a damaged BEGIN line") }
        try requirePrivateKey(label)

        let bodyStart = labelEnd + dashes.count
        if bodyStart < text.count, text[bodyStart] == UInt8(ascii: "\\") {
            throw KeyFault(.malformedBase64, #"has its line ends written as "\n""#)
        }
        guard let bodyEnd = find(end, in: text, from: bodyStart, upTo: text.count) else {
            throw KeyFault(.truncated, "has no END line")
        }
        let endLine = Array("\(label)-----".utf8)
        guard matches(endLine, in: text, at: bodyEnd + end.count) else {
            throw KeyFault(.truncated, "has an END line that is cut or is not that of its BEGIN line")
        }
        let blockEnd = bodyEnd + end.count + endLine.count
        guard blockEnd > last else {
            throw find(begin, in: text, from: blockEnd, upTo: text.count) == nil
                ? KeyFault(.trailingData, "holds something after the key's END line")
                : KeyFault(.severalBlocks, "holds several PEM blocks")
        }
        return bodyStart..<bodyEnd
    }

    /// The label as text, if it has only what labels have: capital letters, digits, spaces.
    private static func label(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
        var label = ""
        for index in range {
            switch text[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "):
                label.unicodeScalars.append(Unicode.Scalar(text[index]))
            default:
                return nil
            }
        }
        return label
    }

    private static func requirePrivateKey(_ label: String) throws(KeyFault) {
        switch label {
        case "PRIVATE KEY":
            return
        case "EC PRIVATE KEY", "EC PARAMETERS":
            // `openssl ecparam -genkey` writes the parameters first.
            throw KeyFault(.sec1PrivateKey, "holds an EC private key as SEC 1 (\(label))")
        case "ENCRYPTED PRIVATE KEY":
            throw KeyFault(.encryptedPrivateKey, "holds an encrypted private key")
        case "RSA PRIVATE KEY":
            throw KeyFault(.rsaPrivateKey, "holds an RSA private key (PKCS#1)")
        case "PUBLIC KEY":
            throw KeyFault(.publicKey, "holds a public key")
        case "CERTIFICATE":
            throw KeyFault(.certificate, "holds a certificate")
        default:
            throw KeyFault(.otherPEM, "holds a PEM block named \(label)")
        }
    }

    private static func notPEM(_ text: Span<UInt8>, from first: Int) -> KeyFault {
        if find(begin, in: text, from: first, upTo: text.count) != nil {
            return KeyFault(.notPEM, "holds something before the key's BEGIN line")
        }
        // 0x30 is a SEQUENCE, the first byte of every DER key.
        return text[first] == 0x30 && text.indices.contains { text[$0] > 0x7F }
            ? KeyFault(.notPEM, "is binary, perhaps DER, and not PEM")
            : KeyFault(.notPEM, "is not PEM, as it has no BEGIN line")
    }

    /// Whether a byte is a space, a tab, or part of a line end.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func matches(_ pattern: [UInt8], in text: Span<UInt8>, at start: Int) -> Bool {
        guard start + pattern.count <= text.count else { return false }
        return pattern.indices.allSatisfy { text[start + $0] == pattern[$0] }
    }

    /// The first place of the pattern that starts in `start...limit`.
    private static func find(_ pattern: [UInt8], in text: Span<UInt8>, from start: Int, upTo limit: Int) -> Int? {
        (start..<max(start, min(limit + 1, text.count))).first { matches(pattern, in: text, at: $0) }
    }
}
