import Crypto
import Offers

/// A signed statement about a chain: that it ended, or that its first records were deleted.
struct LedgerStatement: Equatable, Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// The chain has no record after this one, and never will.
        case end
        /// The records up to this one were deleted, being older than the ledger keeps them.
        case retention
    }

    var writer: String
    var kind: Kind
    var head: LedgerChain.Head
    var time: Timestamp
    /// The signature, ASN.1 DER, by ECDSA with P-256 and SHA-256.
    var signature: [UInt8]

    /// The values that are stored, and signed.
    var values: [SQLValue] { [.text(writer), .integer(head.number), .bytes(head.hash), .time(time)] }

    /// The bytes that are signed: the chain's beginning is among them, as nothing else may be left that leads to it.
    private func message(_ beginning: [UInt8]) -> [UInt8] {
        CanonicalBytes("offer-signer ledger \(kind.rawValue) 1", values + [.bytes(beginning)]).bytes
    }

    /// Whether it is by a key, and about a chain as that says it began.
    func isSigned(by key: P256.Signing.PublicKey, of chain: LedgerChain) -> Bool {
        key.isSignature(signature, of: message(chain.beginning))
    }
}

extension LedgerStatement {
    /// States something.
    init(
        _ kind: Kind,
        of chain: LedgerChain,
        at head: LedgerChain.Head,
        time: Timestamp,
        keys: LedgerKeys
    ) throws(StorageFailure) {
        self.init(writer: chain.writer, kind: kind, head: head, time: time, signature: [])
        signature = try keys.sign(message(chain.beginning))
    }
}
