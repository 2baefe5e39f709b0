import FoundationEssentials

/// A JSON Web Token (RFC 7519) that an app's key has signed with ES256: a compact JWS (RFC 7515 §7.1).
public struct JSONWebToken: Equatable, Sendable {
    /// Its text: header, claims and signature in base64url, joined by dots.
    public let compact: String

    /// Signs claims.
    ///
    /// The header names the algorithm, the key and the type, as Apple asks for
    /// ("Generating JWS to sign App Store requests").
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - signer: The key.
    /// - Throws: ``SigningFailure`` when the key cannot sign. Nothing was signed then.
    public init(_ claims: Claims, signer: any ES256Signer) throws(SigningFailure) {
        var header = Claims()
        header.add("alg", "ES256")
        header.add("kid", signer.keyIdentifier)
        header.add("typ", "JWT")
        var text = Self.base64URL(header.json)
        text.append(UInt8(ascii: "."))
        text += Self.base64URL(claims.json)
        let signature = try signer.rawSignature(over: text.span)
        text.append(UInt8(ascii: "."))
        text += Self.base64URL(signature)
        compact = String(decoding: text, as: UTF8.self)
    }

    /// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
    private static func base64URL(_ bytes: [UInt8]) -> [UInt8] {
        var text = Array(Data(bytes).base64EncodedData())
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return text
    }
}

extension JSONWebToken {
    /// The members of a token's header or payload, in the order in which they are added.
    public struct Claims: Sendable {
        private var members: [UInt8] = []

        /// Creates an empty set of claims.
        public init() {
            members.reserveCapacity(384)
        }

        /// Adds a claim that is a string.
        ///
        /// - Parameters:
        ///   - name: The claim's name, one that was not added before.
        ///   - value: Its value.
        public mutating func add(_ name: String, _ value: String) {
            addName(name)
            addText(value)
        }

        /// Adds a claim that is a whole number.
        ///
        /// - Parameters:
        ///   - name: The claim's name, one that was not added before.
        ///   - value: Its value.
        public mutating func add(_ name: String, _ value: Int64) {
            addName(name)
            members += Array(String(value).utf8)
        }

        /// Adds a claim that is `true` or `false`.
        ///
        /// - Parameters:
        ///   - name: The claim's name, one that was not added before.
        ///   - value: Its value.
        public mutating func add(_ name: String, _ value: Bool) {
            addName(name)
            members += Array(value ? "true".utf8 : "false".utf8)
        }

        /// The claims as one JSON object in UTF-8.
        var json: [UInt8] { [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")] }

        private mutating func addName(_ name: String) {
            if !members.isEmpty { members.append(UInt8(ascii: ",")) }
            addText(name)
            members.append(UInt8(ascii: ":"))
        }

        /// Writes a string, with the escapes that RFC 8259 §7 asks for and no others.
        private mutating func addText(_ text: String) {
            members.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): members += [UInt8(ascii: "\\"), byte]
                case 0..<0x20:
                    let digits = String(byte, radix: 16)
                    members += Array("\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
                default: members.append(byte)
                }
            }
            members.append(UInt8(ascii: "\""))
        }
    }
}
