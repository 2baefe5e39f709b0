import Crypto
import FoundationEssentials
public import Offers

/// A signed statement about a chain: up to which record it was, and with which hash.
public struct LedgerCheckpoint: Equatable, Sendable {
    /// What is stated.
    public enum Kind: String, Sendable {
        /// The chain was as far as this.
        case checkpoint
        /// The records up to this one were deleted, being older than the ledger keeps them.
        case retention
    }

    /// The chain's writer.
    public var writer: String
    /// What is stated.
    public var kind: Kind
    /// The record's number.
    public var number: Int64
    /// The record's hash.
    public var hash: [UInt8]
    /// When it was stated.
    public var time: Timestamp
    /// The signature, ASN.1 DER, by ECDSA with P-256 and SHA-256.
    public var signature: [UInt8]

    /// The bytes that are signed.
    ///
    /// - Parameter beginning: The hash of the chain's beginning, where the statement is about that, too.
    /// - Returns: The bytes.
    func message(beginning: [UInt8]?) -> [UInt8] {
        var message = CanonicalBytes("offer-signer ledger checkpoint \(beginning == nil ? 1 : 2)")
        message.append(writer)
        message.append(kind.rawValue)
        message.append(number)
        message.append(hash)
        message.append(time.millisecondsSince1970)
        if let beginning { message.append(beginning) }
        return message.bytes
    }

    /// States something.
    ///
    /// - Parameters:
    ///   - kind: What is stated.
    ///   - writer: The chain's writer.
    ///   - head: The record that it is about.
    ///   - time: The server's clock.
    ///   - beginning: The hash of the chain's beginning, for a statement that takes away all the records that led to it.
    ///   - signer: The checkpoint key.
    /// - Throws: `SigningFailure`.
    init(
        _ kind: Kind,
        of writer: String,
        at head: LedgerChain.Head,
        time: Timestamp,
        beginning: [UInt8]? = nil,
        signer: any ES256Signer
    ) throws(SigningFailure) {
        self.init(writer: writer, kind: kind, number: head.number, hash: head.hash, time: time, signature: [])
        signature = try signer.derSignature(over: message(beginning: beginning).span)
    }

    /// A statement as it was kept.
    init(writer: String, kind: Kind, number: Int64, hash: [UInt8], time: Timestamp, signature: [UInt8]) {
        self.writer = writer
        self.kind = kind
        self.number = number
        self.hash = hash
        self.time = time
        self.signature = signature
    }

    /// Whether it is by a key.
    ///
    /// Versions that signed nothing of the beginning have left statements without it, which are taken as they are.
    ///
    /// - Parameters:
    ///   - key: The public half of the checkpoint key.
    ///   - beginning: The hash of the chain's beginning as it is now, where the statement may be about that, too.
    /// - Returns: Whether the signature verifies.
    func isSigned(by key: P256.Signing.PublicKey, beginning: [UInt8]? = nil) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        if let beginning, key.isValidSignature(signature, for: message(beginning: beginning)) { return true }
        return key.isValidSignature(signature, for: message(beginning: nil))
    }
}
