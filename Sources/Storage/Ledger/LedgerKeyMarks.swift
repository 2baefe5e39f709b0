import Crypto

/// By what a ledger tells the keys that it was written with from others: a mark of each, made at the first start.
///
/// With another digest key no limit would count what was signed before, and with another checkpoint key nothing could be
/// verified: so a service with such a key, such as a replica that was given one of its own, is refused.
public struct LedgerKeyMarks: Sendable {
    /// A key's mark.
    struct Mark: Sendable {
        /// Which key it is of: ``LedgerKeyMarks/digestKey`` or ``LedgerKeyMarks/checkpointKey``.
        let name: String
        /// Its bytes.
        let bytes: [UInt8]
    }

    /// The name of the mark of the digest key: what that key makes of no account.
    static let digestKey = "digest"
    /// The name of the mark of the checkpoint key: the SHA-256 of its public half (SubjectPublicKeyInfo, RFC 5280).
    static let checkpointKey = "checkpoint"

    /// The table of the marks; a ledger of an earlier version gets those of the keys that it is next opened with.
    static let migration = Migration(
        "ledger 6",
        sqlite: [table],
        postgreSQL: [table],
        isForReaders: false
    )

    private static let table = "CREATE TABLE ledger_key_marks (name TEXT NOT NULL PRIMARY KEY, mark BYTEA NOT NULL)"

    /// Keeps a mark, unless there is one.
    static let insert = "INSERT INTO ledger_key_marks (name, mark) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"

    /// The marks that are kept.
    static let kept = "SELECT name, mark FROM ledger_key_marks"

    /// The marks of the keys that are known.
    let marks: [Mark]

    /// Marks keys.
    ///
    /// - Parameters:
    ///   - digestKey: The key of the digests of accounts; `nil` where none is used.
    ///   - checkpointKeySPKI: The public half of the key that signs checkpoints, as SubjectPublicKeyInfo; `nil` where none
    ///     is used, in a ledger that is read.
    public init(digestKey: DigestKey?, checkpointKeySPKI: [UInt8]?) {
        marks =
            (digestKey.map { [Mark(name: Self.digestKey, bytes: $0.mark)] } ?? [])
            + (checkpointKeySPKI.map { [Mark(name: Self.checkpointKey, bytes: Array(SHA256.hash(data: $0)))] } ?? [])
    }

    /// What is wrong with a key whose mark is not the one that is kept, in a sentence; `nil` when nothing is.
    ///
    /// - Parameters:
    ///   - name: The mark's name.
    ///   - bytes: The mark that is kept.
    /// - Returns: The sentence.
    func fault(_ name: String, _ bytes: [UInt8]) -> String? {
        guard let mark = marks.first(where: { $0.name == name }), mark.bytes != bytes else { return nil }
        let (key, loss) =
            name == Self.digestKey
            ? ("ledger.digestKeyFile", "with this one no limit would count what was signed before")
            : ("ledger.checkpointKeyFile", "with this one nothing that is on record could be verified")
        return "it was written with another \(name) key (\(key)): \(loss); "
            + "restore that key from a backup; where several share the ledger, all have the same"
    }
}
