import Crypto

/// The SHA-256 of a bearer token.
///
/// The time that a look-up by its hash value takes reveals nothing of use: a client that guesses tokens does not choose
/// their digests, and a digest, even if all of it were known, leads to no token of 256 random bits.
struct TokenDigest: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// Reads a digest of the configuration; `nil` unless it has 32 bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == SHA256.byteCount else { return nil }
        words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    init(of token: some StringProtocol) {
        words = SHA256.hash(data: Array(token.utf8))
            .withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// Whether both are the same, compared to the last byte.
    static func == (left: TokenDigest, right: TokenDigest) -> Bool {
        let difference = left.words ^ right.words
        return difference[0] | difference[1] | difference[2] | difference[3] == 0
    }
}
