import FoundationEssentials
import StrictJSON

extension RecognisedContent {
    /// The longest text that is looked at, in bytes: more than any evidence has.
    private static let maximumBytes = 1 << 20

    /// Recognises a text; an unknown thing gives `nil`.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let bytes = Array(text.utf8)
        if let kind = Kind(text: bytes) {
            self.init(kind)
        } else if let kind = Self.decoded(bytes).flatMap(Kind.init(inBase64:)) {
            self.init(kind, isInBase64: kind != .receipt)
        } else if let inner = Self.decoded(bytes).flatMap(Self.decoded), Self.isSignedData(inner) {
            self.init(.receipt, isInBase64: true)
        } else if let plain = Self.withoutURLEncoding(text), let content = RecognisedContent(plain) {
            self = content
            isURLEncoded = true
        } else {
            return nil
        }
    }

    /// The text before it was URL-encoded, or before a form was made of it; `nil` where neither was done.
    ///
    /// By bytes, so that no blank and no percent sign is left, whatever stands beside it.
    private static func withoutURLEncoding(_ text: String) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: " ") }) else { return nil }
        var plain: [UInt8] = []
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: " "): plain.append(UInt8(ascii: "+"))
            case UInt8(ascii: "%"):
                guard let high = bytes.next(), let low = bytes.next() else { return nil }
                // Base64 has no other characters that are encoded so.
                switch (high, low | 0x20) {
                case (UInt8(ascii: "2"), UInt8(ascii: "b")): plain.append(UInt8(ascii: "+"))
                case (UInt8(ascii: "2"), UInt8(ascii: "f")): plain.append(UInt8(ascii: "/"))
                case (UInt8(ascii: "3"), UInt8(ascii: "d")): plain.append(UInt8(ascii: "="))
                default: return nil
                }
            default: plain.append(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    /// Recognises JSON that nobody signed, by the names of its members; an unknown thing gives `nil`.
    package init?(json: [UInt8]) {
        guard let kind = Kind(json: json) else { return nil }
        self.init(kind)
    }

    /// Whether a text in Base64 is a receipt, as it should be sent, by its first bytes: what nearly all are.
    package static func beginsAsReceipt(_ text: String) -> Bool {
        guard let start = Data(base64Encoded: Data(text.utf8.prefix(40))) else { return false }
        return isSignedData(Array(start))
    }

    /// Decodes Base64 of either alphabet, with or without its padding.
    fileprivate static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
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

    /// Whether bytes begin as PKCS #7 `SignedData` does (RFC 2315 §7, §9.1), in BER.
    fileprivate static func isSignedData(_ bytes: [UInt8]) -> Bool {
        let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        guard bytes.first == 0x30 else { return false }
        // The length before it takes up to five bytes.
        return (2...6).contains { bytes.dropFirst($0).starts(with: signedData) }
    }
}

extension RecognisedContent.Kind {
    /// The kind of a text as it is sent.
    fileprivate init?(text: [UInt8]) {
        if text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            self.init(json: text)
        } else if text.starts(with: "-----BEGIN PRIVATE KEY-----".utf8) {
            self = .privateKey
        } else if (1...20).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .transactionId
        } else if text.count == 36, UUID(uuidString: String(decoding: text, as: UTF8.self)) != nil {
            self = .uuid
        } else {
            self.init(jws: text)
        }
    }

    /// The kind of the bytes of a text in Base64.
    fileprivate init?(inBase64 bytes: [UInt8]) {
        if RecognisedContent.isSignedData(bytes) {
            self = .receipt
            return
        }
        guard let kind = Self(text: bytes), kind != .transactionId, kind != .uuid else {
            // Digits and UUIDs are short: by chance a name may be the Base64 of one.
            return nil
        }
        self = kind
    }

    /// The kind of a compact JWS: three parts, with a header that is JSON.
    private init?(jws text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, RecognisedContent.decoded(parts[0])?.first == UInt8(ascii: "{") else { return nil }
        let members = RecognisedContent.decoded(parts[1]).flatMap(Self.members)
        // With blanks in it nobody sees its kind: a reader of JWS names them.
        if members == nil, parts[1].contains(where: { $0 <= 0x20 }) { return nil }
        func has(_ names: String...) -> Bool { !(members ?? []).isDisjoint(with: names) }
        // A token for somebody, such as an offer of this service.
        if has("aud") {
            self = .otherJWS
        } else if has("notificationType") {
            self = .notification
        } else if has("requestIdentifier"), has("userLocale") {
            self = .retentionRequest
        } else if has("receiptType", "originalApplicationVersion") {
            self = .appTransaction
        } else if has("autoRenewStatus", "autoRenewProductId") {
            self = .renewalInfo
        } else {
            self = has("transactionId") ? .transaction : .otherJWS
        }
    }

    /// The kind of JSON that nobody signed.
    fileprivate init?(json: [UInt8]) {
        guard let members = Self.members(of: json) else { return nil }
        func has(_ names: String...) -> Bool { !members.isDisjoint(with: names) }
        if members.isSuperset(of: ["Store", "Payload"]) {
            self = .unityReceipt
        } else if has("notification_type", "unified_receipt") {
            self = .oldNotification
        } else if has("latest_receipt_info", "latest_receipt", "pending_renewal_info")
            || has("status") && (members.count == 1 || has("receipt", "environment"))
        {
            self = .verifyReceiptAnswer
        } else if has("transactionId", "originalTransactionId", "appTransactionId", "data", "hasMore") {
            self = .decoded
        } else {
            return nil
        }
    }

    /// The names of an object's members; `nil` where it is none.
    private static func members(of json: [UInt8]) -> Set<String>? {
        var names: Set<String> = []
        var reader = JSONReader(json, refusesDuplicates: false)
        do throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                names.insert(name)
                try reader.skipValue()
            }
            try reader.readEnd()
        } catch {
            return nil
        }
        return names
    }
}
