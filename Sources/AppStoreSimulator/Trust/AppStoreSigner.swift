import Crypto
import Foundation

/// What the simulated App Store signs with: a leaf key of its own, and the chain up to its own root.
struct AppStoreSigner: Sendable {
    /// Leaf, intermediate and root, DER.
    let chain: [[UInt8]]
    /// The leaf's private key.
    private let key: P256.Signing.PrivateKey
    /// The JWS header, the same for all that is signed.
    private let header: String

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: The leaf's private key.
    ///   - chain: Leaf, intermediate and root, DER.
    init(key: P256.Signing.PrivateKey, chain: [[UInt8]]) {
        self.key = key
        self.chain = chain
        let x5c = chain.map { "\"" + Data($0).base64EncodedString() + "\"" }.joined(separator: ",")
        header = Base64URL.encode(#"{"alg":"ES256","x5c":[\#(x5c)]}"#.utf8)
    }

    /// The leaf's public key.
    var publicKey: P256.Signing.PublicKey { key.publicKey }

    /// Signs a payload as the App Store does: compact JWS, ES256, three certificates in `x5c`.
    ///
    /// - Parameter payload: The payload, JSON.
    /// - Returns: The JWS.
    /// - Throws: `SimulatorFault` when the signature cannot be made.
    func jws(_ payload: [UInt8]) throws(SimulatorFault) -> String {
        let text = header + "." + Base64URL.encode(payload)
        return text + "." + Base64URL.encode(try signature(over: Array(text.utf8)).rawRepresentation)
    }

    /// Signs bytes with SHA-256 and ECDSA.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The signature.
    /// - Throws: `SimulatorFault` when the signature cannot be made.
    func signature(over bytes: [UInt8]) throws(SimulatorFault) -> P256.Signing.ECDSASignature {
        do {
            return try key.signature(for: bytes)
        } catch {
            throw SimulatorFault("cannot sign with the simulator's leaf key: \(error)")
        }
    }
}
