import Crypto
import Foundation
import StrictJSON

/// A compact JWS (RFC 7515 §7.1) with ES256, taken apart and not yet trusted.
struct CompactJWS {
    /// The header's plain members.
    let header: [String: JSONScalar]
    /// The payload's plain members.
    let claims: [String: JSONScalar]

    private let signedText: String
    private let signature: [UInt8]

    /// Three parts, joined by dots; anything else gives `nil`.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), let members = Self.plainMembers(of: header),
            let claims = Self.plainMembers(of: payload)
        else { return nil }
        self.header = members
        self.claims = claims
        self.signedText = parts[0] + "." + parts[1]
        self.signature = signature
    }

    /// The key that it says it is signed by.
    var keyIdentifier: String? { text(of: header["kid"]) }

    /// Whether it is an ES256 signature of a key: raw r‖s, 64 bytes (RFC 7518 §3.4).
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard text(of: header["alg"]) == "ES256",
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: Array(signedText.utf8))
    }

    func string(_ name: String) -> String? { text(of: claims[name]) }

    /// A claim that is a whole number.
    func integer(_ name: String) -> Int64? {
        if case .number(let text) = claims[name] { Int64(text) } else { nil }
    }

    private func text(of scalar: JSONScalar?) -> String? {
        if case .string(let text) = scalar { text } else { nil }
    }

    private static func plainMembers(of json: [UInt8]) -> [String: JSONScalar]? {
        var members: [String: JSONScalar] = [:]
        var reader = JSONReader(json)
        do throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch try reader.nextType() {
                case .object, .array: try reader.skipValue()
                default: members[name] = try reader.readScalar()
                }
            }
            try reader.readEnd()
            return members
        } catch {
            return nil
        }
    }
}

/// Base64url without padding (RFC 4648 §5), as JWS writes its parts (RFC 7515 §2).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = Data(bytes).base64EncodedString()
        text.replace("+", with: "-")
        text.replace("/", with: "_")
        text.replace("=", with: "")
        return text
    }

    /// Padding and the standard alphabet's `+` and `/` are refused.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map { Array($0) }
    }
}
