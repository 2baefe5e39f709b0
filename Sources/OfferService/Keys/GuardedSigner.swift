package import Offers
import Synchronization

/// A signer that refuses to sign once it has failed a self-test, or has given a wrong signature where each is verified.
///
/// It stays so: a key that computes wrongly once may give itself away with the next signature (a faulty ECDSA signature
/// reveals the private key). Loading the key anew, by a reload or a restart, makes a new signer.
package final class GuardedSigner<Signer: SelfTestingSigner>: ES256Signer {
    package let signer: Signer

    private let failed = Mutex<SigningFailure?>(nil)
    /// Whether it has failed: each signature reads this, and it is written at most once.
    private let hasFailed = Atomic(false)

    /// Whether each signature is verified before it leaves.
    private let verifies: Bool

    /// Guards a signer that has passed its first test.
    package init(_ signer: Signer, verifies: Bool = false) {
        self.signer = signer
        self.verifies = verifies
    }

    package var keyIdentifier: String { signer.keyIdentifier }

    /// The reason to refuse; `nil` as long as it signs.
    package var failure: SigningFailure? { failed.withLock { $0 } }

    /// Signs the SHA-256 of the whole, unhashed message as ASN.1 DER; throws, too, when the signer has failed before.
    package func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        if hasFailed.load(ordering: .acquiring), let failure { throw failure }
        let signature = try signer.derSignature(over: message)
        guard verifies, !signer.verifies(signature, over: message) else { return signature }
        let detail = "it gave a signature that the public key does not verify (wrong_signature)"
        throw fail(SigningFailure(keyIdentifier: keyIdentifier, detail: detail, isUnavailability: true))
    }

    /// Tests the signer, unless it has failed before; returns a new failure alone.
    @discardableResult
    package func selfTest() -> SigningFailure? {
        guard failure == nil else { return nil }
        do throws(SigningFailure) {
            try signer.selfTest()
            return nil
        } catch {
            return fail(SigningFailure(keyIdentifier: keyIdentifier, detail: "self-test failed: \(error.detail)"))
        }
    }

    /// Takes the signer out of use; returns the failure.
    private func fail(_ failure: SigningFailure) -> SigningFailure {
        failed.withLock { $0 = failure }
        hasFailed.store(true, ordering: .releasing)
        return failure
    }
}
