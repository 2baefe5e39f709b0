package import Offers
import Synchronization

/// A signer that does not sign any more once it has failed a self-test.
///
/// It stays so: a key that computes wrongly once may give itself away with the next signature (a faulty ECDSA signature
/// reveals the private key). Loading the key anew, by a reload or a restart, makes a new signer.
package final class GuardedSigner<Signer: SelfTestingSigner>: ES256Signer {
    /// The signer that does the work.
    package let signer: Signer

    private let failed = Mutex<SigningFailure?>(nil)
    /// Whether it has failed: what each signature asks, and what nobody writes to but once.
    private let hasFailed = Atomic(false)

    /// Guards a signer.
    ///
    /// - Parameter signer: One that has passed its first test.
    package init(_ signer: Signer) {
        self.signer = signer
    }

    /// The key's identifier in App Store Connect.
    package var keyIdentifier: String { signer.keyIdentifier }

    /// Why it does not sign any more; `nil` as long as it does.
    package var failure: SigningFailure? { failed.withLock { $0 } }

    /// Signs the message's SHA-256.
    ///
    /// - Parameter message: The bytes to sign, whole and unhashed.
    /// - Returns: The signature as ASN.1 DER.
    /// - Throws: `SigningFailure` when it could not sign, or when a self-test has failed before.
    package func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        if hasFailed.load(ordering: .acquiring), let failure { throw failure }
        return try signer.derSignature(over: message)
    }

    /// Tests the signer, unless it has failed before.
    ///
    /// - Returns: What has just failed; `nil` when nothing did, or when it was known.
    @discardableResult
    package func selfTest() -> SigningFailure? {
        guard failure == nil else { return nil }
        do throws(SigningFailure) {
            try signer.selfTest()
            return nil
        } catch {
            let failure = SigningFailure(keyIdentifier: keyIdentifier, detail: "self-test failed: \(error.detail)")
            failed.withLock { $0 = failure }
            hasFailed.store(true, ordering: .releasing)
            return failure
        }
    }
}
