import FoundationEssentials

/// A JWS as an app had it, taken apart as far as it can be, none of it believed.
package struct ReportedJWS: Sendable {
    /// `nil` where it cannot be read.
    let header: [String: JWSValue]?
    /// `nil` where they cannot be read.
    let claims: [String: JWSValue]?
    /// The texts that the signature may cover: the first two parts as they came, and as base64url has them.
    let signedTexts: [[UInt8]]
    let signature: SignatureText.Form?
    /// The changes to the signature's bytes before they became the third part.
    let signatureMistakes: [DiagnosisCode]
    /// Why it is no compact JWS, a sentence for each reason.
    let malformed: [String]
    /// The characters in it that base64url lacks.
    let notBase64URL: [String]

    package init(_ text: String) {
        var malformed: [String] = []
        var found: [String] = []
        var text = text
        if text.contains("%"), let decoded = text.percentDecoded {
            text = decoded
            found.append("is URL-encoded")
        }
        let bare = text.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
        if bare.utf8.count != text.utf8.count { found.append("has blanks, line breaks or quotes") }
        text = bare
        if !text.contains("."),
            let inner = Base64URLText(text[...]).bytes.flatMap({ String(validating: $0, as: UTF8.self) }),
            inner.split(separator: ".").count == 3
        {
            malformed.append("The JWS is in Base64 as a whole, once more than it has to be.")
            text = inner
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count != 3 {
            malformed.append("A compact JWS has three parts with dots between them; this has \(parts.count).")
        }
        let texts = parts.prefix(3).map { Base64URLText($0) }
        let marks = Set(texts.flatMap(\.marks)).sorted()
        if !marks.isEmpty { found.append("has \(marks.enumeration)") }
        header = texts.first?.bytes.flatMap(JWSValue.object)
        claims = texts.dropFirst().first?.bytes.flatMap(JWSValue.object)
        if header == nil { malformed.append("The first part is no JSON object in base64url.") }
        if parts.count > 1, claims == nil { malformed.append("The second part is no JSON object in base64url.") }
        signedTexts =
            parts.count < 2
            ? []
            : [Array("\(parts[0]).\(parts[1])".utf8)]
                + (marks.isEmpty ? [] : [Array("\(texts[0].text).\(texts[1].text)".utf8)])
        let isES256 = header?["alg"].map { $0 == .text("ES256") } ?? true
        let bytes = texts.count == 3 ? texts[2].bytes : nil
        if let form = bytes.flatMap({ SignatureText.Form($0) }) {
            signature = form
            signatureMistakes = []
        } else if let inner = bytes.flatMap({ String(validating: $0, as: UTF8.self) }).flatMap({ SignatureText($0) }) {
            signature = inner.form
            let usual: [DiagnosisCode] = [.signatureHex, .signatureWrapped, .signaturePEM]
            signatureMistakes = inner.mistakes.filter(usual.contains)
            if signatureMistakes.isEmpty { malformed.append("The third part is in Base64 twice.") }
        } else {
            signature = nil
            signatureMistakes = []
            // A header that names another algorithm says why.
            if texts.count == 3, isES256 {
                let fault =
                    bytes.map { "it has \($0.count) bytes, and r and s have 64" } ?? "it is cut, or no base64url"
                malformed.append(
                    parts[2].isEmpty
                        ? "The third part, the signature, is empty." : "The third part is no signature: \(fault)."
                )
            }
        }
        self.malformed = malformed
        notBase64URL = found
    }

    /// A claim that is a text, or a number in its place.
    package func text(_ claim: String) -> String? { claims?[claim]?.asText }

    var keyIdentifier: String? { header?["kid"]?.asText }

    /// In whatever unit.
    var issuedAt: Int64? { claims?["iat"]?.asInteger }

    /// Whether `iat` is, which is due in seconds.
    var isInMilliseconds: Bool { issuedAt.map { $0.magnitude >= SignatureReport.firstMillisecondTimestamp } ?? false }

    package var moment: Timestamp? {
        issuedAt.map { count in
            isInMilliseconds
                ? Timestamp(millisecondsSince1970: count)
                : Timestamp(millisecondsSince1970: 0).adding(seconds: count)
        }
    }
}

/// A part of a JWS, as far as it is Base64 in either alphabet.
private struct Base64URLText {
    /// The part in base64url without padding.
    let text: String
    /// The characters in it that base64url lacks.
    let marks: [String]
    let bytes: [UInt8]?

    init(_ part: Substring) {
        var marks: [String] = []
        if part.contains("=") { marks.append("padding (=)") }
        if part.contains(where: { $0 == "+" || $0 == "/" }) { marks.append("the standard alphabet's + or /") }
        let text = part.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        self.text = String(text)
        self.marks = marks
        bytes = Data(base64Encoded: standard + padding).map { Array($0) }
    }
}

/// A member of a JWS's header or claims.
enum JWSValue: Equatable, Sendable, Decodable {
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case null
    case other

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .other
        }
    }

    static func object(_ json: [UInt8]) -> [String: JWSValue]? {
        try? JSONDecoder().decode([String: JWSValue].self, from: Data(json))
    }

    /// `nil` for what is neither a text nor a whole number.
    var asText: String? {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }

    /// Also where it is written as a text or has a fraction.
    var asInteger: Int64? {
        switch self {
        case .integer(let number): number
        case .number(let number): Int64(exactly: number.rounded(.down))
        case .text(let text): Int64(text)
        default: nil
        }
    }

    var phrase: String {
        switch self {
        case .text(let text): text.isEmpty ? "empty" : text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .null: "null"
        case .other: "an object or a list"
        }
    }

    /// Null, an empty text, or a word that a language writes for nothing.
    var isPlaceholder: Bool {
        switch self {
        case .null: true
        case .text(let text): String.placeholders.contains(text)
        default: false
        }
    }
}

extension JWSValue? {
    var phrase: String { self?.phrase ?? "missing" }
}
