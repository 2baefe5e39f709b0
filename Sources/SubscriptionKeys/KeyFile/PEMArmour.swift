import COpenSSL

/// The armour around a key: the lines BEGIN and END (RFC 7468).
///
/// It looks at the text where it lies and answers with positions, never with bytes of the body.
enum PEMArmour {
    static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    private static let longestLabel = 64

    /// Finds the Base64 between the lines BEGIN and END of the one `PRIVATE KEY` that the text may hold.
    ///
    /// Blank lines around the block are fine, as are CRLF and a missing final newline.
    static func locateBody(in text: Span<UInt8>) throws(KeyError) -> Range<Int> {
        guard let first = text.indices.first(where: { !isBlank(text[$0]) }),
            let last = text.indices.last(where: { !isBlank(text[$0]) })
        else { throw KeyError(.empty, "holds only blank lines") }

        guard text.starts(with: begin, at: first) else { throw ForeignForm.fault(of: text, at: first...last) }
        let labelStart = first + begin.count
        guard let labelEnd = find(dashes, in: text, from: labelStart, upTo: labelStart + longestLabel),
            let label = label(text, labelStart..<labelEnd)
        else { throw KeyError(.notPEM, "has a damaged BEGIN line") }
        try requirePrivateKey(label)

        let bodyStart = labelEnd + dashes.count
        guard !(bodyStart..<text.count).contains(where: { text[$0] == UInt8(ascii: "\\") }) else {
            throw KeyError(.notPEM, #"has its line ends written as "\n""#, conversion: .text)
        }
        guard let bodyEnd = find(end, in: text, from: bodyStart, upTo: text.count) else {
            throw KeyError(.truncated, "has no END line")
        }
        let endLine = Array("\(label)-----".utf8)
        guard text.starts(with: endLine, at: bodyEnd + end.count) else {
            throw KeyError(.truncated, "has an END line that is cut or is not that of its BEGIN line")
        }
        let blockEnd = bodyEnd + end.count + endLine.count
        guard blockEnd > last else {
            throw KeyError(.trailingData, "holds something after the key's END line")
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

    private static func requirePrivateKey(_ label: String) throws(KeyError) {
        switch label {
        case "PRIVATE KEY":
            return
        case "EC PRIVATE KEY", "EC PARAMETERS":
            // `openssl ecparam -genkey` writes the parameters first.
            throw KeyError(.sec1PrivateKey, "holds an EC private key as SEC 1 (\(label))", conversion: .openssl)
        case "ENCRYPTED PRIVATE KEY":
            throw KeyError(.encryptedPrivateKey, "holds an encrypted private key")
        default:
            throw KeyError(.otherPEM, "holds a PEM block named \(label)")
        }
    }

    /// Whether a byte is a space, a tab, or part of a line end.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    /// The first place of the pattern that starts in `start...limit`.
    static func find(_ pattern: [UInt8], in text: Span<UInt8>, from start: Int, upTo limit: Int) -> Int? {
        (start..<max(start, min(limit + 1, text.count))).first { text.starts(with: pattern, at: $0) }
    }
}

extension PEMArmour {
    /// Takes the armour off: the DER of the one `PRIVATE KEY` in a file.
    ///
    /// The text is rewritten in place, so that it is of no use afterwards. Both buffers are in the secure heap.
    static func decode(_ text: inout SecureBuffer) throws(KeyError) -> SecureBuffer {
        let body = try text.withBytes { (bytes) throws(KeyError) in try locateBody(in: bytes) }
        let length = try text.withMutableBytes { (bytes) throws(KeyError) in try gather(body, in: &bytes) }
        text.truncate(to: length)
        let padding = text.withBytes { bytes in bytes.indices.suffix(2).count { bytes[$0] == UInt8(ascii: "=") } }

        var der = try SecureBuffer(count: length / 4 * 3)
        let written = text.withBytes { source in
            der.withMutableBytes { target in
                unsafe target.withUnsafeMutableBufferPointer { target in
                    unsafe source.withUnsafeBufferPointer { source in
                        unsafe EVP_DecodeBlock(target.baseAddress, source.baseAddress, Int32(length))
                    }
                }
            }
        }
        guard written == der.count else { throw KeyError(openSSL: "EVP_DecodeBlock") }
        // EVP_DecodeBlock counts the padding as zero bytes.
        der.truncate(to: der.count - padding)
        return der
    }

    /// Moves the Base64 characters of a range to the front of the text, without the line ends between them, and counts
    /// them: a multiple of four, above zero.
    ///
    /// It also judges them, as EVP_DecodeBlock takes padding in the middle for a zero.
    private static func gather(_ range: Range<Int>, in text: inout MutableSpan<UInt8>) throws(KeyError) -> Int {
        var length = 0
        var padding = 0
        for index in range where !isBlank(text[index]) {
            let character = text[index]
            if character == UInt8(ascii: "=") {
                padding += 1
            } else if padding > 0 || !isBase64(character) {
                throw KeyError(.malformedBase64, "has a character in the key that is not Base64")
            }
            text[length] = character
            length += 1
        }
        guard length > 0, length % 4 == 0, padding <= 2 else {
            throw KeyError(.truncated, "has incomplete Base64 in the key")
        }
        return length
    }
}

extension Span<UInt8> {
    /// Whether some bytes are at a place.
    func starts(with pattern: [UInt8], at start: Int) -> Bool {
        guard start + pattern.count <= count else { return false }
        return pattern.indices.allSatisfy { self[start + $0] == pattern[$0] }
    }
}
