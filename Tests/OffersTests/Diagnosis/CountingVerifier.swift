import Offers
import Synchronization

/// A key that signed one payload at the most, and counts what it is asked.
final class CountingVerifier: SignatureVerifier {
    let keyIdentifier: String
    private let signed: [UInt8]?
    private let hash: SignedHash
    private let counted = Mutex(0)

    init(_ keyIdentifier: String, signed: String? = nil, hashedBy hash: SignedHash = .sha256) {
        (self.hash, self.keyIdentifier) = (hash, keyIdentifier)
        self.signed = signed.map { Array($0.utf8) }
    }

    /// How often it was asked.
    var verifications: Int { counted.withLock { $0 } }

    func isSignature(_ signature: SignatureText.Form, over message: [UInt8], hashedBy hash: SignedHash) -> Bool {
        counted.withLock { $0 += 1 }
        return message == signed && hash == self.hash
    }
}
