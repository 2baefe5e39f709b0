package import Crypto
import Foundation
import StrictJSON

/// A compact JWS (RFC 7515 §7.1) with ES256, taken apart and not yet trusted.
package struct ES256JWS {
    /// The header's plain members.
    let header: [String: JSONScalar]
    /// The payload's plain members.
    let claims: [String: JSONScalar]

    private let signedText: String
    private let signature: [UInt8]

    /// Three parts, joined by dots; anything else gives `nil`.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), let members = JSONReader.plainMembers(of: header),
            let claims = JSONReader.plainMembers(of: payload)
        else { return nil }
        self.header = members
        self.claims = claims
        self.signedText = parts[0] + "." + parts[1]
        self.signature = signature
    }

    package var algorithm: String? { text(of: header["alg"]) }

    /// The key that it says it is signed by.
    package var keyIdentifier: String? { text(of: header["kid"]) }

    /// Whether it is an ES256 signature of a key: raw r‖s, 64 bytes (RFC 7518 §3.4).
    package func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard algorithm == "ES256",
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: Array(signedText.utf8))
    }

    package func string(_ name: String) -> String? { text(of: claims[name]) }

    /// A claim that is a whole number.
    func integer(_ name: String) -> Int64? {
        if case .number(let text) = claims[name] { Int64(text) } else { nil }
    }

    private func text(of scalar: JSONScalar?) -> String? {
        if case .string(let text) = scalar { text } else { nil }
    }
}

extension JSONReader {
    /// The members of an object whose values are neither objects nor arrays; another text gives `nil`.
    static func plainMembers(of json: [UInt8], refusesDuplicates: Bool = true) -> [String: JSONScalar]? {
        var members: [String: JSONScalar] = [:]
        var reader = JSONReader(json, refusesDuplicates: refusesDuplicates)
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
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
    }

    /// Padding and the standard alphabet's `+` and `/` are refused.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map { Array($0) }
    }
}
