import Crypto
import FoundationEssentials
package import Offers

/// The chain of one writer: each process that writes has its own, so that none waits for another.
///
/// Its beginning is a statement signed by the checkpoint key: it names the chain that began before it, and how far that
/// was, so that no chain can go, or come, without trace.
package struct LedgerChain: Equatable, Sendable {
    /// How far a chain is.
    package struct Head: Equatable, Sendable {
        /// The number of its last record; 0 when there is none.
        package var number: Int64
        /// The hash of its last record, or of its beginning.
        package var hash: [UInt8]

        /// Creates a head.
        ///
        /// - Parameters:
        ///   - number: The number of the last record; 0 when there is none.
        ///   - hash: The hash of the last record, or of the chain's beginning.
        package init(number: Int64, hash: [UInt8]) {
            self.number = number
            self.hash = hash
        }
    }

    /// The writer's identifier: 16 random hexadecimal digits.
    package var writer: String
    /// When it began.
    package var startedAt: Timestamp
    /// The writer of the chain that began before; `nil` for the first of all.
    package var previousWriter: String?
    /// How far that chain was.
    package var previousHead: Head?
    /// The signature of its beginning, ASN.1 DER, by ECDSA with P-256 and SHA-256.
    package var signature: [UInt8] = []

    /// When a chain begins: later than the one before it, whatever the clocks say, so that the next one names it.
    ///
    /// - Parameters:
    ///   - now: The server's clock.
    ///   - previous: The chain that began before; `nil` for the first of all.
    /// - Returns: The moment.
    static func start(at now: Timestamp, after previous: LedgerChain?) -> Timestamp {
        guard let previous else { return now }
        return max(now, previous.startedAt.adding(milliseconds: 1))
    }

    /// The bytes of its beginning, which are signed.
    var message: [UInt8] {
        var message = CanonicalBytes("offer-signer ledger chain 1")
        message.append(writer)
        message.append(startedAt.millisecondsSince1970)
        message.append(previousWriter)
        message.append(previousHead?.number ?? 0)
        message.append(previousHead?.hash)
        return message.bytes
    }

    /// The hash of its beginning.
    var beginning: [UInt8] { Array(SHA256.hash(data: message)) }

    /// Whether its beginning is by a key.
    func isSigned(by key: P256.Signing.PublicKey) -> Bool { key.isSignature(signature, of: message) }
}

extension P256.Signing.PublicKey {
    /// Whether a signature in ASN.1 DER is this key's.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return isValidSignature(signature, for: message)
    }
}

/// The identifiers of writers.
enum LedgerWriterName {
    /// Makes a new one.
    ///
    /// - Returns: 16 random hexadecimal digits.
    static func random() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
