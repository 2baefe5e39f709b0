import Synchronization

/// The signers that were followed to a trusted root, by the header that named them.
///
/// The App Store signs for all customers with the same few certificates, and a chain costs far more than a signature.
/// Only what was verified is kept, so strangers cannot fill it.
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
    /// - Parameters:
    ///   - header: The first part of the JWS.
    ///   - verify: Verifies the chain, when the signer is not known.
    /// - Returns: The signer.
    /// - Throws: What `verify` throws.
    func signer(
        namedBy header: Substring,
        verify: () throws(SignedDataFault) -> VerifiedSigner
    ) throws(SignedDataFault) -> VerifiedSigner {
        if let known = state.withLock({ $0.signer(namedBy: header) }) { return known }
        let signer = try verify()
        // Copied, so that the header does not hold the whole JWS in memory.
        let copy = String(header)
        state.withLock { state in
            state.verifications += 1
            // Another request may have verified the same meanwhile.
            guard state.signer(namedBy: header) == nil else { return }
            if state.signers.count >= Self.capacity { state.signers.removeAll() }
            state.signers.append((copy, signer))
        }
        return signer
    }
}
