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

    /// The signer that a header names.
    ///
    /// - Parameter header: The first part of the JWS.
    /// - Returns: The signer; `nil` when it is not known, or no more.
    func signer(namedBy header: Substring) -> VerifiedSigner? {
        state.withLock { $0.signer(namedBy: header) }
    }

    /// Keeps a signer whose chain was verified.
    ///
    /// Only for a header that the signer has signed: certificates are no secret, and whoever has them can write any
    /// number of headers around them.
    ///
    /// - Parameters:
    ///   - signer: The signer.
    ///   - header: The first part of a JWS with its signature.
    func keep(_ signer: VerifiedSigner, namedBy header: Substring) {
        // Copied, so that the header does not hold the whole JWS in memory.
        let copy = String(header)
        state.withLock { state in
            // Another request may have verified the same meanwhile.
            guard state.signer(namedBy: header) == nil else { return }
            if state.signers.count >= Self.capacity { state.signers.removeAll() }
            state.signers.append((copy, signer))
        }
    }

    /// Counts a chain that had to be verified.
    func noteVerification() {
        state.withLock { $0.verifications += 1 }
    }
}
