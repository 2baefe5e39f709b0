import FoundationEssentials

/// The text of a signature, with whatever was done to it on the way taken off again.
public struct SignatureText: Equatable, Sendable {
    /// What is left when the text is decoded.
    public enum Form: Equatable, Sendable {
        /// ASN.1 DER (`ECDSA-Sig-Value`): what StoreKit takes.
        case der([UInt8])
        /// r‖s, 64 bytes.
        case raw([UInt8])
    }

    /// The signature.
    public let form: Form
    /// What was done to it that StoreKit does not undo.
    public let mistakes: [DiagnosisCode]

    /// Undoes percent-encoding, base64url, missing padding, and a second Base64, as far as it is there.
    ///
    /// - Parameter text: The text as it was reported. What never becomes a signature gives `nil`.
    public init?(_ text: String) {
        var text = text
        var mistakes: [DiagnosisCode] = []
        if text.contains("%") {
            guard let decoded = Self.removingPercentEncoding(text) else { return nil }
            text = decoded
            mistakes.append(.signatureURLEncoded)
        }
        // A plus sign that went through a form is a space.
        if text.contains(where: { $0 == "-" || $0 == "_" || $0 == " " }) || text.utf8.count % 4 != 0 {
            let standard = text.replacing("-", with: "+").replacing("_", with: "/").replacing(" ", with: "+")
            text = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
            if mistakes.isEmpty { mistakes.append(.signatureURLEncoded) }
        }
        guard var bytes = Data(base64Encoded: text).map(Array.init) else { return nil }
        if bytes.first != 0x30 || bytes.count > 72, let again = Data(base64Encoded: Data(bytes)), !again.isEmpty {
            bytes = Array(again)
            mistakes.append(.signatureDoubleEncoded)
        }
        if bytes.first == 0x30, (8...72).contains(bytes.count), Int(bytes[1]) == bytes.count - 2 {
            form = .der(bytes)
        } else if bytes.count == 64 {
            form = .raw(bytes)
            mistakes.append(.signatureRawNotDER)
        } else {
            return nil
        }
        self.mistakes = mistakes
    }

    private static func removingPercentEncoding(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
