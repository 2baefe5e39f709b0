/// The forms in which other tools keep a key, and the accidents of copying one.
///
/// They are recognised to be named, and nothing of them is read as a key.
enum ForeignForm {
    /// The fault of a text that does not begin with the armour of PEM.
    static func fault(of text: Span<UInt8>, at content: ClosedRange<Int>) -> KeyError {
        let first = content.lowerBound
        for (beginning, finding, conversion) in beginnings where text.starts(with: beginning, at: first) {
            return KeyError(.notPEM, finding, conversion: conversion)
        }
        if text[first] == DERReader.Tag.sequence.rawValue, let fault = der(text, first..<text.count) {
            return fault
        }
        if let begin = PEMArmour.find(PEMArmour.begin, in: text, from: first, upTo: text.count) {
            let place = "has something before the key's BEGIN line"
            return KeyError(
                .notPEM,
                wrapper(text, first..<begin).map { "\($0), and \(place)" } ?? place,
                conversion: .text
            )
        }
        if text[first] == UInt8(ascii: "{"), holds("\"kty\"", text, content) {
            return KeyError(
                .notPEM,
                "is a JSON Web Key (JWK)",
                conversion: .sentence("have the tool that wrote it export PKCS#8 in PEM")
            )
        }
        if text[first] == UInt8(ascii: "M"), content.allSatisfy({ isPartOfBase64(text[$0]) }) {
            return KeyError(.notPEM, "is the Base64 of a key without the lines BEGIN and END", conversion: .base64)
        }
        let isBinary = content.contains { text[$0] > 0x7F }
        return KeyError(
            .notPEM,
            isBinary ? "is binary, and neither PEM nor a key in DER" : "is not PEM, as it has no BEGIN line"
        )
    }

    private static let beginnings: [([UInt8], finding: String, KeyConversion?)] = [
        ([0xEF, 0xBB, 0xBF], "begins with a byte order mark, which some editors put before text in UTF-8", .text),
        ([0xFF, 0xFE], "is text in UTF-16, which some editors and shells write", .utf16),
        ([0xFE, 0xFF], "is text in UTF-16, which some editors and shells write", .utf16),
        ([0xFE, 0xED, 0xFE, 0xED], "is a key store of Java (JKS)", keyStore),
        ([0xCE, 0xCE, 0xCE, 0xCE], "is a key store of Java (JCEKS)", keyStore),
        (Array("\"".utf8), "begins with a quotation mark, which is not a part of the key", .text),
        (Array("'".utf8), "begins with a quotation mark, which is not a part of the key", .text),
        // The first bytes of "-----BEGIN " in Base64.
        (Array("LS0tLS1CRUdJTi".utf8), "is the Base64 of a PEM file, and not the file", .base64),
    ]

    private static let keyStore = KeyConversion.sentence(
        "make a PKCS#12 file of it with keytool -importkeystore -deststoretype PKCS12, and of that a PEM file with openssl pkcs12"
    )

    /// A key in DER, or PKCS#12, by their version; the last bytes of DER may look like blanks.
    private static func der(_ text: Span<UInt8>, _ content: Range<Int>) -> KeyError? {
        var reader = DERReader(content)
        guard let outer = try? reader.next(.sequence, in: text, named: "file") else { return nil }
        reader = DERReader(outer)
        guard let version = try? reader.next(.integer, in: text, named: "version"), version.count == 1 else {
            return nil
        }
        switch text[version.lowerBound] {
        case 0, 1: return KeyError(.notPEM, "is DER, which is binary, and not PEM", conversion: .openssl)
        case 3: return KeyError(.notPEM, "is PKCS#12, and not PEM", conversion: .pkcs12)
        default: return nil
        }
    }

    /// What holds a PEM, by the text before it.
    private static func wrapper(_ text: Span<UInt8>, _ before: Range<Int>) -> String? {
        if text[before.lowerBound] == UInt8(ascii: "{") { return "is JSON with a key in it" }
        if holds("Bag Attributes", text, before.lowerBound...before.upperBound) {
            return "has Bag Attributes, as openssl pkcs12 writes them"
        }
        // The last character before the key, but for quotation marks.
        let last = before.last { !PEMArmour.isBlank(text[$0]) && !"\"'".utf8.contains(text[$0]) }.map { text[$0] }
        switch last {
        case UInt8(ascii: "="): return "is a file of variables"
        case UInt8(ascii: ":"), UInt8(ascii: "|"), UInt8(ascii: ">"): return "is YAML with a key in it"
        default: return nil
        }
    }

    private static func holds(_ word: String, _ text: Span<UInt8>, _ range: ClosedRange<Int>) -> Bool {
        PEMArmour.find(Array(word.utf8), in: text, from: range.lowerBound, upTo: range.upperBound) != nil
    }

    private static func isPartOfBase64(_ byte: UInt8) -> Bool {
        PEMArmour.isBase64(byte) || PEMArmour.isBlank(byte) || byte == UInt8(ascii: "=")
    }
}

/// How a file that is accepted is made of a key in another form.
enum KeyConversion: Sendable {
    /// OpenSSL reads it.
    case openssl
    /// A PEM within a text.
    case text
    case base64
    case utf16
    case pkcs12
    case sentence(String)

    /// The end of a fault's text; the path is quoted for a shell, and the new file is `KEY.p8`, which only its owner may read.
    func sentence(for path: String) -> String {
        let write = "openssl pkey -ec_param_enc named_curve -ec_conv_form uncompressed -out KEY.p8"
        let lines = #"s/\\r//g; s/\\n/\n/g; s/\\//g; s/^[[:blank:]]*//; s/-----BEGIN/\n&/; s/\(END[A-Z ]*-----\).*/\1/"#
        switch self {
        case .openssl: return ". To convert it: openssl pkey -in \(path)\(write.dropFirst("openssl pkey".count))"
        case .text: return ". To convert it: sed '\(lines)' \(path) | \(write)"
        case .base64: return ". To convert it: base64 -d \(path) | \(write)"
        case .utf16: return ". To convert it: iconv -f UTF-16 -t UTF-8 \(path) | \(write)"
        case .pkcs12: return ". To convert it: openssl pkcs12 -in \(path) -nocerts -noenc | \(write)"
        case .sentence(let sentence): return ": \(sentence)"
        }
    }
}
