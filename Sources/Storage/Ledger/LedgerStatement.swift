import Crypto
package import Offers

/// A signed statement about a chain: that it ended, or that its first records were deleted.
package struct LedgerStatement: Equatable, Sendable {
    /// The kind of statement.
    package enum Kind: String, Sendable, CaseIterable {
        /// The chain has no record after this one, and never will.
        case end
        /// The records up to this one were deleted, being older than the ledger keeps them.
        case retention
    }

    /// The chain's writer.
    package var writer: String
    /// The kind of statement.
    package var kind: Kind
    /// The record.
    package var head: LedgerChain.Head
    /// When it was stated.
    package var time: Timestamp
    /// The signature, ASN.1 DER, by ECDSA with P-256 and SHA-256.
    package var signature: [UInt8]

    /// The bytes that are signed: the chain's beginning is among them, as nothing else may be left that leads to it.
    private func message(_ beginning: [UInt8]) -> [UInt8] {
        var message = CanonicalBytes("offer-signer ledger \(kind.rawValue) 1")
        message.append(writer)
        message.append(head.number)
        message.append(head.hash)
        message.append(time.millisecondsSince1970)
        message.append(beginning)
        return message.bytes
    }

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

    /// A statement as it was kept.
    init(writer: String, kind: Kind, head: LedgerChain.Head, time: Timestamp, signature: [UInt8]) {
        self.writer = writer
        self.kind = kind
        self.head = head
        self.time = time
        self.signature = signature
    }

    /// Whether it is by a key, and about a chain as that says it began.
    func isSigned(by key: P256.Signing.PublicKey, of chain: LedgerChain) -> Bool {
        key.isSignature(signature, of: message(chain.beginning))
    }
}
