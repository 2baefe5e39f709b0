import Crypto
import Synchronization

/// Which JWS are known to be genuine, by the SHA-256 of their whole text.
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

    /// How many texts are remembered.
    var count: Int { state.withLock { $0.newer.count + $0.older.count } }

    /// Whether a JWS is known to be genuine; if it is, it is remembered for longer.
    ///
    /// - Parameter digest: The SHA-256 of the JWS.
    /// - Returns: Whether it is.
    func knows(_ digest: SHA256Digest) -> Bool {
        state.withLock { state in
            if state.newer.contains(digest) { return true }
            guard state.older.contains(digest) else { return false }
            state.insert(digest)
            return true
        }
    }

    /// Remembers a JWS whose signature was verified.
    ///
    /// - Parameter digest: The SHA-256 of the JWS.
    func keep(_ digest: SHA256Digest) {
        state.withLock { state in
            state.verifications += 1
            state.insert(digest)
        }
    }
}
