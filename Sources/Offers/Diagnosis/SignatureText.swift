import FoundationEssentials

/// The text of a signature, with whatever was done to it on the way taken off again.
public struct SignatureText: Equatable, Sendable {
    /// The signature when the text is decoded.
    public enum Form: Equatable, Sendable {
        /// ASN.1 DER (`ECDSA-Sig-Value`): what StoreKit takes.
        case der([UInt8])
        /// r‖s, 64 bytes.
        case raw([UInt8])
    }

    /// The signature.
    public let form: Form
    /// The changes to it that StoreKit does not undo.
    public let mistakes: [DiagnosisCode]
    /// Whether there were line breaks, blanks or quotes in it, which are no part of Base64.
    public let hasStrayCharacters: Bool

    /// How often one encoding is taken off.
    private static let mostLayers = 3

    /// Undoes percent-encoding, base64url, missing padding, and Base64 of Base64, as far as it is there.
    ///
    /// - Parameter text: The text as it was reported. What never becomes a signature gives `nil`.
    public init?(_ text: String) {
        var text = text
        var mistakes: Set<DiagnosisCode> = []
        var hasStrayCharacters = false
        for _ in 0..<Self.mostLayers {
            for _ in 0..<Self.mostLayers where text.contains("%") {
                guard let decoded = text.percentDecoded else { return nil }
                text = decoded
                mistakes.insert(.signatureURLEncoded)
            }
            let bare = Self.removingStrayCharacters(text)
            if bare.utf8.count != text.utf8.count { hasStrayCharacters = true }
            text = bare
            // A plus sign that went through a form is a space.
            if text.contains(where: { $0 == "-" || $0 == "_" || $0 == " " }) || text.utf8.count % 4 != 0 {
                let standard = text.replacing("-", with: "+").replacing("_", with: "/").replacing(" ", with: "+")
                text = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
                mistakes.insert(.signatureURLEncoded)
            }
            guard let bytes = Data(base64Encoded: text).map(Array.init) else { return nil }
            if let form = Form(bytes) {
                if case .raw = form { mistakes.insert(.signatureRawNotDER) }
                self.form = form
                self.mistakes = DiagnosisCode.allCases.filter(mistakes.contains)
                self.hasStrayCharacters = hasStrayCharacters
                return
            }
            guard let inner = String(validating: bytes, as: UTF8.self) else { return nil }
            text = inner
            mistakes.insert(.signatureDoubleEncoded)
        }
        return nil
    }

    /// Takes off all line breaks and tabs, and quotes and blanks at both ends.
    ///
    /// A blank at an end may be a plus sign that went through a form: where the rest is no whole Base64, it stays.
    private static func removingStrayCharacters(_ text: String) -> String {
        func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") }
        var bytes = text.utf8.filter { !(9...13).contains($0) }[...]
        let trimmed = bytes.trimming { isBlank($0) || isQuote($0) }
        if trimmed.count % 4 == 0 { bytes = trimmed } else { bytes = bytes.trimming(isQuote) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SignatureText.Form {
    /// Distinguishes DER from r‖s; `nil` for anything else.
    fileprivate init?(_ bytes: [UInt8]) {
        if bytes.first == 0x30, (8...72).contains(bytes.count), Int(bytes[1]) == bytes.count - 2 {
            self = .der(bytes)
        } else if bytes.count == 64 {
            self = .raw(bytes)
        } else {
            return nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without those at both ends that are meant.
    fileprivate func trimming(_ isMeant: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !isMeant($0) }), let last = lastIndex(where: { !isMeant($0) }) else {
            return []
        }
        return self[first...last]
    }
}
