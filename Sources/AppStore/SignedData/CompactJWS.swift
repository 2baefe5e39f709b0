import FoundationEssentials
import Offers
import StrictJSON

/// The three parts of a compact JWS (RFC 7515 §3.1), decoded, none of it believed.
struct CompactJWS {
    /// How many bytes a JWS may have, as many as a notification: Apple's transactions have some 6000, a notification has
    /// two in it, in Base64 once more, and what an app adds by Advanced Commerce makes all of them longer.
    static let maximumBytes = 131_072

    let bytes: [UInt8]
    /// The first part as it was sent.
    let headerText: Substring
    /// The bytes that the signature covers: the first two parts and the dot between them.
    let signedBytes: ArraySlice<UInt8>
    let payload: [UInt8]
    /// The signature: for ES256, r and s of 32 bytes each (RFC 7518 §3.4).
    let signature: [UInt8]

    /// Takes a JWS apart by its bytes: to tell where characters begin takes longer than to verify the signature.
    init(_ text: String) throws(SignedDataFault) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw SignedDataFault(.malformed, "The JWS has more than \(Self.maximumBytes) bytes.")
        }
        let bytes = Array(text.utf8)
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let second = bytes[(first + 1)...].firstIndex(of: dot),
            !bytes[(second + 1)...].contains(dot)
        else {
            throw Self.malformed(text[...], "A compact JWS has three parts with dots between them.")
        }
        guard let payload = Base64URL.decode(bytes[(first + 1)..<second]),
            let signature = Base64URL.decode(bytes[(second + 1)...])
        else {
            throw Self.malformed(text[...], Self.notBase64URL)
        }
        self.bytes = bytes
        self.headerText = text[..<text.utf8.index(text.startIndex, offsetBy: first)]
        self.signedBytes = bytes[..<second]
        self.payload = payload
        self.signature = signature
    }

    fileprivate static let notBase64URL = "The parts of a JWS are in base64url without padding."

    /// The fault of a text that is no compact JWS, by the characters that do not belong there.
    fileprivate static func malformed(_ text: Substring, _ rule: String) -> SignedDataFault {
        let marks: [(name: String, characters: String)] = [
            ("a line break", "\r\n"), ("a blank", " \t"), ("a quotation mark", "\"'"), ("padding (=)", "="),
            ("characters of standard Base64 (+ or /)", "+/"), ("a percent sign of a URL", "%"), ("a backslash", "\\"),
        ]
        var found = marks.filter { mark in text.utf8.contains { mark.characters.utf8.contains($0) } }.map(\.name)
        // Such as a byte order mark, or a blank that does not break: nobody sees it.
        if let foreign = text.unicodeScalars.first(where: { !$0.isASCII }) {
            let code = String(foreign.value, radix: 16, uppercase: true)
            found.append("the character U+\(String(repeating: "0", count: max(0, 4 - code.count)))\(code)")
        }
        guard !found.isEmpty else { return SignedDataFault(.malformed, rule) }
        return SignedDataFault(
            .malformed,
            "The JWS has \(found.joined(separator: " and ")): send it as it came, without anything around it. \(rule)"
        )
    }
}

/// The header of a JWS that carries its certificates (RFC 7515 §4.1).
struct JWSHeader {
    /// The certificates in DER, the signer's first (`x5c`).
    let certificates: [[UInt8]]

    init(_ text: Substring) throws(SignedDataFault) {
        guard let json = Base64URL.decode(text.utf8) else {
            throw CompactJWS.malformed(text, CompactJWS.notBase64URL)
        }
        var algorithm: String?
        var certificates: [[UInt8]] = []
        var isCritical = false
        do throws(JSONFault) {
            var reader = JSONReader(json)
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch name {
                case "alg": algorithm = try reader.readString()
                case "x5c":
                    try reader.readArray { (_, reader) throws(JSONFault) in
                        guard let der = Base64.decode(try reader.readString()) else {
                            throw JSONFault(.invalidValue, "A certificate is Base64.")
                        }
                        certificates.append(der)
                    }
                case "crit":
                    isCritical = true
                    try reader.skipValue()
                default: try reader.skipValue()
                }
            }
            try reader.readEnd()
        } catch {
            throw SignedDataFault(.malformed, "The header of the JWS cannot be read: \(error.detail)")
        }
        guard algorithm == "ES256" else {
            throw SignedDataFault(.algorithm, "The App Store signs with ES256; this header names another algorithm.")
        }
        guard !isCritical else {
            throw SignedDataFault(.malformed, "The header asks for extensions (crit) that Apple does not use.")
        }
        self.certificates = certificates
    }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
enum Base64URL {
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.count + 3)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.append(byte)
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(standard)).map { Array($0) }
    }
}

/// Base64 with the standard alphabet and padding (RFC 4648 §4).
enum Base64 {
    static func decode(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { Array($0) }
    }
}
