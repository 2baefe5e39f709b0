import Crypto
import FoundationEssentials
import Offers

/// The chain of one writer: each process that writes has its own, so that none waits for another.
///
/// Its beginning is a statement signed by the checkpoint key: it names the chain that began before it, and how far that
/// was, so that no chain can go, or come, without trace.
package struct LedgerChain: Equatable, Sendable {
    package struct Head: Equatable, Sendable {
        /// The number of its last record; 0 when there is none.
        package var number: Int64
        /// The hash of its last record, or of its beginning.
        package var hash: [UInt8]

        package init(number: Int64, hash: [UInt8]) {
            self.number = number
            self.hash = hash
        }
    }

    /// The writer's identifier: 16 random hexadecimal digits.
    var writer: String
    var startedAt: Timestamp
    /// The writer of the chain that began before; `nil` for the first of all.
    var previousWriter: String?
    var previousHead: Head?
    /// The signature of its beginning, ASN.1 DER, by ECDSA with P-256 and SHA-256.
    var signature: [UInt8] = []

    /// A new writer's identifier.
    static func newWriter() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// When a chain begins: later than the one before it, whatever the clocks say, so that the next one names it.
    static func start(at now: Timestamp, after previous: LedgerChain?) -> Timestamp {
        guard let previous else { return now }
        return max(now, previous.startedAt.adding(milliseconds: 1))
    }

    /// How many records there are by the first number and the last; 0 where somebody made them up.
    static func count(from first: Int64, to last: Int64) -> Int64 {
        let (difference, overflow) = last.subtractingReportingOverflow(first)
        return overflow || difference < 0 || difference == .max ? 0 : difference + 1
    }

    var message: [UInt8] {
        let previous = [SQLValue(previousWriter), .integer(previousHead?.number ?? 0), SQLValue(previousHead?.hash)]
        return CanonicalBytes("offer-signer ledger chain 1", [.text(writer), .time(startedAt)] + previous).bytes
    }

    var beginning: [UInt8] { Array(SHA256.hash(data: message)) }

    func isSigned(by key: P256.Signing.PublicKey) -> Bool { key.isSignature(signature, of: message) }
}

extension P256.Signing.PublicKey {
    /// Whether a signature in ASN.1 DER is this key's.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return isValidSignature(signature, for: message)
    }
}
