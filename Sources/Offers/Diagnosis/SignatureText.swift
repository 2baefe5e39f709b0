import FoundationEssentials

/// A signature, read from a text with all mistakes of its encoding undone.
package struct SignatureText: Equatable, Sendable {
    package enum Form: Equatable, Sendable {
        /// ASN.1 DER (`ECDSA-Sig-Value`): what a discount takes.
        case der([UInt8])
        /// r‖s, 64 bytes: what a JWS takes.
        case raw([UInt8])
    }

    package let form: Form
    package let mistakes: [DiagnosisCode]

    private static let mostLayers = 8

    /// `nil` where no signature comes of the text.
    package init?(_ text: String) {
        var text = text
        var mistakes: Set<DiagnosisCode> = []
        for _ in 0..<Self.mostLayers {
            var undone: String?
            for mistake in TextMistake.table {
                guard let inner = mistake.undo(text) else { continue }
                undone = inner
                mistakes.insert(mistake.code)
                break
            }
            guard let undone else { break }
            text = undone
        }
        guard let bytes = Data(base64Encoded: text), let form = Form(Array(bytes)) else { return nil }
        self.form = form
        self.mistakes = DiagnosisCode.allCases.filter(mistakes.contains)
    }
}

extension SignatureText.Form {
    /// Distinguishes DER from r‖s; `nil` for anything else.
    ///
    /// One of 65,536 raw signatures begins as DER does, so the numbers inside decide.
    init?(_ bytes: [UInt8]) {
        if bytes.count == 64, RawSignature(der: bytes) == nil {
            self = .raw(bytes)
        } else if bytes.first == 0x30, (8...72).contains(bytes.count), Int(bytes[1]) == bytes.count - 2 {
            self = .der(bytes)
        } else {
            return nil
        }
    }
}

/// A mistake with the text of a signature: a row of ``table``.
struct TextMistake: Sendable {
    let code: DiagnosisCode
    let detail: String
    /// `nil` where the mistake was not made.
    let undo: @Sendable (String) -> String?

    /// In the order in which they are undone; to recognise another mistake, add a row.
    static let table: [TextMistake] = [
        TextMistake(code: .signaturePEM, detail: "The signature has PEM lines around it (-----BEGIN …).") { text in
            let parts = text.components(separatedBy: "-----")
            guard parts.count >= 3, parts[1].hasPrefix("BEGIN") else { return nil }
            return parts[2].withoutLineBreaks.filter { $0 != " " }
        },
        TextMistake(
            code: .signatureURLEncoded,
            detail: "The signature is URL-encoded."
        ) { $0.contains("%") ? $0.percentDecoded : nil },
        TextMistake(
            code: .signatureWrapped,
            detail: "The signature's text has line breaks, blanks or quotes that are no part of Base64."
        ) { text in
            let bare = text.withoutLineBreaks.withoutBlanksAround
            return bare.utf8.count == text.utf8.count ? nil : bare
        },
        TextMistake(code: .signatureHex, detail: "The signature is in hexadecimal.") { text in
            let digits = text.replacing(":", with: "").replacing(" ", with: "").filter { $0 != "<" && $0 != ">" }
            let bare = digits.lowercased().hasPrefix("0x") ? String(digits.dropFirst(2)) : digits
            guard bare.utf8.count >= 100, let bytes = Hexadecimal.bytes(bare) else { return nil }
            // It may be of Base64's text.
            if let inner = String(validating: bytes, as: UTF8.self), SignatureText(inner) != nil { return inner }
            return Data(bytes).base64EncodedString()
        },
        TextMistake(
            code: .signatureURLEncoded,
            detail: "The signature is URL-encoded."
        ) { $0.contains(" ") ? $0.replacing(" ", with: "+") : nil },
        TextMistake(code: .signatureBase64URL, detail: "The signature is in base64url, or lacks its padding.") { text in
            guard text.contains(where: { $0 == "-" || $0 == "_" }) || text.utf8.count % 4 != 0 else { return nil }
            let standard = text.replacing("-", with: "+").replacing("_", with: "/")
            let padding = (4 - standard.utf8.count % 4) % 4
            return padding == 3 ? nil : standard + String(repeating: "=", count: padding)
        },
        TextMistake(code: .signatureDoubleEncoded, detail: "The signature was Base64-encoded twice.") { text in
            guard let bytes = Data(base64Encoded: text).map(Array.init), !bytes.isEmpty,
                SignatureText.Form(bytes) == nil
            else { return nil }
            return String(validating: bytes, as: UTF8.self)
        },
        TextMistake(
            code: .signatureRawNotDER,
            detail: "The r or s of the signature has a zero byte too many, or lacks one: that is no DER."
        ) { text in
            guard let bytes = Data(base64Encoded: text).map(Array.init), let numbers = RawSignature(der: bytes),
                numbers.der != bytes
            else { return nil }
            return Data(numbers.der).base64EncodedString()
        },
    ]
}

extension String {
    /// The text without line breaks and tabs, also without those that are written as `\n` and `\r`.
    fileprivate var withoutLineBreaks: String {
        let bare = replacing("\\n", with: "").replacing("\\r", with: "")
        return String(decoding: bare.utf8.filter { !(9...13).contains($0) }, as: UTF8.self)
    }

    /// The text without quotes and blanks at both ends, nor the `b` that Python writes before the quotes of bytes.
    ///
    /// A blank at an end may be a plus sign that went through a form: where the rest is no whole Base64, it stays.
    fileprivate var withoutBlanksAround: String {
        func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") }
        let isPython = hasPrefix("b'") && hasSuffix("'") || hasPrefix("b\"") && hasSuffix("\"")
        let bytes = Array(utf8).dropFirst(isPython ? 1 : 0)
        let bare = bytes.trimming { isBlank($0) || isQuote($0) }
        return String(decoding: bare.count % 4 == 0 ? bare : bytes.trimming(isQuote), as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    fileprivate func trimming(_ isMeant: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !isMeant($0) }), let last = lastIndex(where: { !isMeant($0) }) else {
            return []
        }
        return self[first...last]
    }
}
