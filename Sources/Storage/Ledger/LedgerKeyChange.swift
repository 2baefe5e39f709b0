import Crypto
package import Offers

/// A signed statement that the ledger got another checkpoint key: by the old key, as it gives the ledger away, and by the
/// new one, as it takes over what is there.
package struct LedgerKeyChange: Equatable, Sendable {
    /// Its number: changes are counted from 1.
    package let number: Int64
    /// The public keys (SubjectPublicKeyInfo, RFC 5280).
    let oldKey: [UInt8]
    let newKey: [UInt8]
    package let time: Timestamp
    /// How many chains had begun, all of which had ended: they begin and end by the old key or one before it.
    package let chains: Int64
    /// The digest of these chains' beginnings and ends: who gets hold of the old key later changes nothing before the change.
    let digest: [UInt8]
    var oldSignature: [UInt8] = []
    var newSignature: [UInt8] = []

    package var oldKeySHA256: [UInt8] { Array(SHA256.hash(data: oldKey)) }
    package var newKeySHA256: [UInt8] { Array(SHA256.hash(data: newKey)) }

    /// The SHA-256 of the beginnings and ends of chains, in their order.
    static func digest(_ chains: some Sequence<LedgerChain>, ends: [LedgerStatement]) -> [UInt8] {
        let ends = Dictionary(ends.map { ($0.writer, $0.head) }, uniquingKeysWith: { first, _ in first })
        var bytes = CanonicalBytes("offer-signer ledger chains 1")
        for chain in chains {
            bytes.append(chain.beginning)
            bytes.append(ends[chain.writer]?.number ?? -1)
            bytes.append(ends[chain.writer]?.hash)
        }
        return bytes.withUnsafeBytes { Array(SHA256.hash(data: $0)) }
    }

    /// The values that are stored, and signed.
    private var values: [SQLValue] {
        [.integer(number), .bytes(oldKey), .bytes(newKey), .time(time), .integer(chains), .bytes(digest)]
    }

    /// The bytes that are signed: the change before is among them.
    private func message(after previous: LedgerKeyChange?) -> [UInt8] {
        CanonicalBytes("offer-signer ledger key change 1", values + [SQLValue(previous?.newSignature)]).bytes
    }

    mutating func sign(
        from old: LedgerKeys,
        to new: LedgerKeys,
        after previous: LedgerKeyChange?
    ) throws(StorageFailure) {
        oldSignature = try old.sign(message(after: previous))
        newSignature = try new.sign(message(after: previous))
    }

    /// Whether both keys have signed it.
    func isSigned(after previous: LedgerKeyChange?) -> Bool {
        let message = message(after: previous)
        return [(oldKey, oldSignature), (newKey, newSignature)].allSatisfy { key, signature in
            (try? P256.Signing.PublicKey(derRepresentation: key))?.isSignature(signature, of: message) ?? false
        }
    }

    /// Why the old key is refused.
    var refusal: String {
        "this checkpoint key (ledger.checkpointKeyFile) was replaced at \(time.rfc3339) by the one with the SHA-256 "
            + "\(Hexadecimal.text(newKeySHA256)) (`offer-signer ledger rotate-checkpoint-key`): name the file of that key; "
            + "if the command was interrupted, run it once more"
    }
}

extension LedgerKeyChange {
    static let migration = Migration(
        "key changes",
        [
            """
            CREATE TABLE ledger_key_changes (
                number BIGINT NOT NULL PRIMARY KEY,
                old_key BYTEA NOT NULL,
                new_key BYTEA NOT NULL,
                time BIGINT NOT NULL,
                chains BIGINT NOT NULL,
                digest BYTEA NOT NULL,
                old_signature BYTEA NOT NULL,
                new_signature BYTEA NOT NULL
            )
            """
        ]
    )

    private static let columns = "number, old_key, new_key, time, chains, digest, old_signature, new_signature"

    fileprivate static let all = "SELECT \(columns) FROM ledger_key_changes ORDER BY number"

    var insert: SQLCall {
        SQLCall(
            "INSERT INTO ledger_key_changes (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            values + [.bytes(oldSignature), .bytes(newSignature)]
        )
    }
}

extension Session {
    /// The changes of the checkpoint key, in their order.
    func keyChanges() throws(StorageFailure) -> [LedgerKeyChange] {
        let rows = try run(LedgerKeyChange.all)
        return try rows.rows.map { row throws(StorageFailure) in
            LedgerKeyChange(
                number: try rows.integer(row, 0),
                oldKey: try rows.bytes(row, 1),
                newKey: try rows.bytes(row, 2),
                time: try rows.time(row, 3),
                chains: try rows.integer(row, 4),
                digest: try rows.bytes(row, 5),
                oldSignature: try rows.bytes(row, 6),
                newSignature: try rows.bytes(row, 7)
            )
        }
    }

    /// The refusal of a checkpoint key that was replaced, by the SHA-256 of it; `nil` where it was not.
    func refusal(ofCheckpointKey hash: [UInt8]) -> String? {
        // Where rows are no changes, the key is another one, and `ledger verify` names them.
        (try? keyChanges())?.first { $0.oldKeySHA256 == hash }?.refusal
    }
}
