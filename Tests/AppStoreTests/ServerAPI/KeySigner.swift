import Crypto
import Foundation
import Offers

/// A key that signs offers, and counts how often.
struct KeySigner: ES256Signer {
    let key = P256.Signing.PrivateKey()
    let keyIdentifier = "EXAMPLE123"

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        do {
            let bytes = message.indices.map { message[$0] }
            return Array(try key.signature(for: Data(bytes)).derRepresentation)
        } catch {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: "\(error)")
        }
    }
}
