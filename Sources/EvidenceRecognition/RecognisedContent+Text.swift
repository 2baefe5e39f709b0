import FoundationEssentials
import Offers

extension RecognisedContent {
    /// The longest text that is looked at: more than any evidence has.
    private static let maximumBytes = 1 << 20
    /// How often one encoding is taken off.
    private static let mostLayers = 4

    /// Recognises a text.
    ///
    /// - Parameter text: The text; an unknown thing gives `nil`.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, let found = Self.content(of: Array(text.utf8)[...], layer: 0)
        else { return nil }
        self = found
    }

    /// Whether a text is a receipt, as it should be sent, by its first bytes: what nearly all are.
    ///
    /// - Parameter text: The text, in Base64.
    /// - Returns: Whether it begins as PKCS #7 `SignedData` in BER does.
    package static func beginsAsReceipt(_ text: String) -> Bool {
        guard let start = Data(base64Encoded: Data(text.utf8.prefix(40))) else { return false }
        return isSignedData(Array(start))
    }

    private static func content(of text: ArraySlice<UInt8>, layer: Int) -> RecognisedContent? {
        guard layer < mostLayers else { return nil }
        func inside(_ encoding: Encoding, _ rest: ArraySlice<UInt8>) -> RecognisedContent? {
            content(of: rest, layer: layer + 1).map { RecognisedContent($0.kind, [encoding] + $0.encodings) }
        }
        let bare = text.trimmed
        if bare.count < text.count { return inside(.quotes, bare) }
        if text.starts(with: "data:".utf8), let comma = text.prefix(200).firstIndex(of: UInt8(ascii: ",")) {
            return inside(.dataURI, text[(comma + 1)...])
        }
        if text.starts(with: "-----BEGIN ".utf8) { return inPEM(text, layer: layer) }
        if let description = hexadecimalDigits(in: text) {
            return isSignedData(description) ? RecognisedContent(.receipt, [.hexadecimal]) : nil
        }
        if isOldReceipt(text) { return RecognisedContent(.receipt, [.plainText]) }
        if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
            return Kind(json: Array(text)).map { RecognisedContent($0, [.plainText]) }
        }
        if (1...20).contains(text.count), text.allSatisfy(\.isDigit) { return RecognisedContent(.transactionId) }
        if text.count == 36, UUID(uuidString: String(decoding: text, as: UTF8.self)) != nil {
            return RecognisedContent(.uuid)
        }
        return signed(text) ?? base64(text, layer: layer)
    }

    /// A compact JWS, by a header that is JSON.
    private static func signed(_ text: ArraySlice<UInt8>) -> RecognisedContent? {
        // The first bytes of a JSON object in base64url.
        guard text.starts(with: "ey".utf8) || text.starts(with: "ew".utf8) else { return nil }
        let joined = text.filter { !$0.isBlank }
        let parts = joined.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = decoded(parts[0]), header.first == UInt8(ascii: "{") else { return nil }
        let kind = decoded(parts[1]).flatMap { Kind(signed: $0) } ?? .otherJWS
        return RecognisedContent(kind, joined.count < text.count ? [.wrappedBase64] : [])
    }

    /// The content of a block of PEM.
    private static func inPEM(_ text: ArraySlice<UInt8>, layer: Int) -> RecognisedContent? {
        let lines = text.split { $0 == 0x0A || $0 == 0x0D }
        if lines.first.map({ String(decoding: $0, as: UTF8.self).contains("PRIVATE KEY") }) == true {
            return RecognisedContent(.privateKey)
        }
        let body = lines.filter { !$0.starts(with: "-----".utf8) }.flatMap { $0 }
        guard let found = content(of: body[...], layer: layer + 1), found.kind == .receipt else { return nil }
        return RecognisedContent(.receipt, [.pem] + found.encodings)
    }

    /// The content of Base64, of whatever alphabet and however it was wrapped.
    private static func base64(_ text: ArraySlice<UInt8>, layer: Int) -> RecognisedContent? {
        var encodings: [Encoding] = []
        var text = text
        if text.contains(UInt8(ascii: "%")) {
            guard let plain = String(decoding: text, as: UTF8.self).percentDecoded else { return nil }
            text = Array(plain.utf8)[...]
            encodings.append(.formEncoding)
        }
        let hasLines = text.contains { $0 == 0x0A || $0 == 0x0D }
        if !hasLines, text.contains(UInt8(ascii: " ")) {
            // A plus sign that went through a form is a blank.
            text = text.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }[...]
            if encodings.isEmpty { encodings.append(.formEncoding) }
        } else if text.contains(where: \.isBlank) {
            text = text.filter { !$0.isBlank }[...]
            encodings.append(.wrappedBase64)
        }
        let isURLSafe = text.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        if isURLSafe {
            encodings.append(.urlSafeBase64)
        } else if !text.count.isMultiple(of: 4) {
            encodings.append(.unpaddedBase64)
        }
        guard text.count >= 16, let bytes = decoded(text) else { return nil }
        if isSignedData(bytes) || isOldReceipt(bytes[...]) { return RecognisedContent(.receipt, encodings) }
        if isPrivateKey(bytes) { return RecognisedContent(.privateKey) }
        guard bytes.prefix(64).allSatisfy({ $0 < 0x80 }), let inner = content(of: bytes[...], layer: layer + 1) else {
            return nil
        }
        // Digits and UUIDs are short: by chance a name may be the Base64 of one.
        guard inner.kind != .transactionId, inner.kind != .uuid, inner.kind != .otherJSON else { return nil }
        return RecognisedContent(inner.kind, encodings + [.base64] + inner.encodings)
    }

    /// Decodes Base64 of either alphabet, with or without its padding.
    private static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var standard: [UInt8] = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while standard.last == UInt8(ascii: "=") { standard.removeLast() }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(standard)).map { Array($0) }
    }

    /// The bytes of a dump in hexadecimal, as the description of an NSData is.
    private static func hexadecimalDigits(in text: ArraySlice<UInt8>) -> [UInt8]? {
        var digits = text.prefix(400)
        if let start = digits.firstIndex(of: UInt8(ascii: "<")), start == digits.startIndex {
            digits = digits[(start + 1)...]
        } else if digits.starts(with: "{length = ".utf8) {
            guard let x = digits.firstIndex(of: UInt8(ascii: "x")) else { return nil }
            digits = digits[(x + 1)...]
        } else if !digits.starts(with: "3080".utf8), !digits.starts(with: "3082".utf8),
            !digits.starts(with: "3083".utf8)
        {
            return nil
        }
        let start = digits.filter { $0 != UInt8(ascii: " ") }.prefix(64).compactMap(\.hexadecimalValue)
        guard start.count >= 32 else { return nil }
        return stride(from: 0, to: start.count - 1, by: 2).map { start[$0] << 4 | start[$0 + 1] }
    }

    /// Whether bytes begin as PKCS #7 `SignedData` does (RFC 2315 §7, §9.1).
    private static func isSignedData(_ bytes: [UInt8]) -> Bool {
        let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        guard bytes.first == 0x30 else { return false }
        // The length before it takes up to five bytes.
        return (2...6).contains { bytes.dropFirst($0).starts(with: signedData) }
    }

    /// Whether bytes are an iOS 6 style transaction receipt: a property list in NeXT's text form.
    private static func isOldReceipt(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: "{")
            && String(decoding: bytes.prefix(4096), as: UTF8.self).contains(/"purchase-info"\s*=\s*"/)
    }

    /// Whether bytes begin as the PKCS #8 of a private EC key does (RFC 5208 §5, RFC 5480 §2).
    private static func isPrivateKey(_ bytes: [UInt8]) -> Bool {
        let version: [UInt8] = [0x02, 0x01, 0x00, 0x30]
        let publicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        return bytes.first == 0x30
            && (2...4).contains {
                bytes.dropFirst($0).starts(with: version) && bytes.dropFirst($0 + 5).starts(with: publicKey)
            }
    }
}

extension ArraySlice<UInt8> {
    /// Without blanks and quotation marks at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isKept = { (byte: UInt8) in !byte.isBlank && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "'") }
        guard let first = firstIndex(where: isKept), let last = lastIndex(where: isKept) else { return [] }
        return self[first...last]
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
