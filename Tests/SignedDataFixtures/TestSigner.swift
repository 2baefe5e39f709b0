import Crypto
import Foundation

/// A key with its certificates: signs what the App Store would.
package struct TestSigner: Sendable {
    let key: P256.Signing.PrivateKey
    /// The certificates that it sends, its own first.
    package var certificates: [[UInt8]]
    /// The algorithm that its headers name.
    package var algorithm = "ES256"
    /// What its headers hold besides, JSON that begins with a comma.
    package var otherMembers = ""

    /// Signs a payload.
    ///
    /// - Parameter payload: The payload, JSON.
    /// - Returns: A compact JWS.
    /// - Throws: An error of swift-crypto.
    package func sign(_ payload: String) throws -> String {
        let chain = certificates.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        let header = "{\"alg\":\"\(algorithm)\",\"x5c\":[\(chain)]\(otherMembers)}"
        let input = Self.encode(Data(header.utf8)) + "." + Self.encode(Data(payload.utf8))
        let signature = try key.signature(for: Data(input.utf8))
        return input + "." + Self.encode(signature.rawRepresentation)
    }

    /// Encodes bytes as a part of a JWS: base64url without padding.
    ///
    /// - Parameter data: The bytes.
    /// - Returns: The text.
    private static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
