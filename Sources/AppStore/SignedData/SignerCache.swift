import Crypto
import Offers
import Synchronization

/// The signers that were followed to a trusted root, by the header that named them.
///
/// The App Store signs for all customers with the same few certificates, and a chain costs far more than a signature.
/// Only headers that a verified signer has signed are kept, so strangers cannot fill it.
final class SignerCache: Sendable {
    /// How many signers are kept: Apple uses a handful at a time.
    static let capacity = 64

    private struct State {
        /// A list, as they are few: to compare a header of some thousand characters is faster than to hash it.
        var signers: [(header: String, signer: VerifiedSigner)] = []

        func signer(namedBy header: Substring) -> VerifiedSigner? {
            signers.first { $0.header == header }?.signer
        }
        var verifications = 0
    }

    private let state = Mutex(State())

    /// How many chains had to be verified so far.
    var verifications: Int { state.withLock { $0.verifications } }

    func signer(namedBy header: Substring) -> VerifiedSigner? {
        state.withLock { $0.signer(namedBy: header) }
    }

    /// Stores a signer whose chain was verified, only for a header that the signer has signed.
    ///
    /// Certificates are no secret, and anybody can write any number of headers around them.
    func store(_ signer: VerifiedSigner, namedBy header: Substring) {
        // Copied, so that the header does not hold the whole JWS in memory.
        let copy = String(header)
        state.withLock { state in
            // Another request may have verified the same meanwhile.
            guard state.signer(namedBy: header) == nil else { return }
            if state.signers.count >= Self.capacity { state.signers.removeAll() }
            state.signers.append((copy, signer))
        }
    }

    func countVerification() {
        state.withLock { $0.verifications += 1 }
    }
}

/// A signer whose certificate has been followed to a trusted root.
struct VerifiedSigner: Sendable {
    let publicKey: P256.Signing.PublicKey
    /// The time in which every certificate up to the root is valid, both ends included.
    let validity: ClosedRange<Timestamp>
    /// Whether the one certificate is itself a root that the operator trusts, as with StoreKit testing in Xcode.
    let isSelfSigned: Bool
    /// Whether the chain ends at Apple's own root, not at one that the operator trusts.
    let isApples: Bool
}

/// Remembers genuine JWS, by the SHA-256 of their whole text.
///
/// To verify a signature takes several times as long as to make one, and an app that asks for eligibility first and for a
/// signature next sends the same JWS twice. Only what was verified gets in, so strangers cannot fill it; and another
/// signature, header or payload is another text.
final class VerifiedJWSCache: Sendable {
    /// How many texts are remembered at least, once as many have been verified; up to twice as many are.
    static let capacity = 8192

    private struct State {
        /// Those that came last.
        var newer: Set<SHA256Digest> = []
        /// Those that came before; they go when the others are as many as there may be.
        var older: Set<SHA256Digest> = []
        var verifications = 0

        mutating func insert(_ digest: SHA256Digest) {
            if newer.count >= VerifiedJWSCache.capacity { (older, newer) = (newer, []) }
            newer.insert(digest)
        }
    }

    private let state = Mutex(State())

    /// How many signatures had to be verified so far, and were good.
    var verifications: Int { state.withLock { $0.verifications } }

    var count: Int { state.withLock { $0.newer.count + $0.older.count } }

    /// Whether a JWS is known to be genuine; if it is, it is remembered for longer.
    func knows(_ digest: SHA256Digest) -> Bool {
        state.withLock { state in
            if state.newer.contains(digest) { return true }
            guard state.older.contains(digest) else { return false }
            state.insert(digest)
            return true
        }
    }

    func insert(_ digest: SHA256Digest) {
        state.withLock { state in
            state.verifications += 1
            state.insert(digest)
        }
    }
}
