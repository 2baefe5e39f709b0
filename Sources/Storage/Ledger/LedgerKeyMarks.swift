import Crypto
import Offers

/// The marks by which a ledger recognises the keys that it was written with, made at the first start.
///
/// With another digest key no limit would count what was signed before, and with another checkpoint key nothing could be
/// verified: so a service with such a key, such as a replica that was given one of its own, is refused.
package struct LedgerKeyMarks: Sendable {
    struct Mark: Sendable {
        /// The key's name: ``LedgerKeyMarks/digestKey`` or ``LedgerKeyMarks/checkpointKey``.
        let name: String
        let bytes: [UInt8]
    }

    /// The name of the mark of the digest key: what that key makes of no account.
    static let digestKey = "digest"
    /// The name of the mark of the checkpoint key: the SHA-256 of its public half (SubjectPublicKeyInfo, RFC 5280).
    static let checkpointKey = "checkpoint"

    static let insert = "INSERT INTO ledger_key_marks (name, mark) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"

    static let kept = "SELECT name, mark FROM ledger_key_marks"

    static func replacement(ofCheckpointKey mark: [UInt8]) -> SQLCall {
        SQLCall(
            "INSERT INTO ledger_key_marks (name, mark) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET mark = excluded.mark",
            .text(checkpointKey),
            .bytes(mark)
        )
    }

    let marks: [Mark]

    /// Marks keys; `nil` for one that is not used, as that of checkpoints (SubjectPublicKeyInfo) in a ledger that is read.
    package init(digestKey: DigestKey?, checkpointKeySPKI: [UInt8]?) {
        marks =
            (digestKey.map { [Mark(name: Self.digestKey, bytes: $0.mark)] } ?? [])
            + (checkpointKeySPKI.map { [Mark(name: Self.checkpointKey, bytes: Array(SHA256.hash(data: $0)))] } ?? [])
    }

    /// The fault of a key whose mark is not the stored one, in a sentence; `nil` when there is none.
    func fault(_ name: String, _ bytes: [UInt8]) -> String? {
        guard let mark = marks.first(where: { $0.name == name }), mark.bytes != bytes else { return nil }
        let (key, loss) =
            name == Self.digestKey
            ? ("ledger.digestKeyFile", "with this one no limit would count what was signed before")
            : ("ledger.checkpointKeyFile", "with this one nothing that is on record could be verified")
        return "it was written with another \(name) key (\(key)): \(loss); "
            + "restore that key from a backup; where several share the ledger, all have the same"
    }

    /// Keeps the marks where none are kept yet, in a transaction, and refuses others (``StorageFailure/Code/otherKeys``).
    ///
    /// Of processes that start together, each sees the marks of the first.
    func claim(_ session: any Session, at place: String) throws(StorageFailure) {
        _ = try session.run(marks.map { SQLCall(Self.insert, .text($0.name), .bytes($0.bytes)) })
        try check(session, at: place)
    }

    func check(_ session: any Session, at place: String) throws(StorageFailure) {
        let rows = try session.run(Self.kept)
        for row in rows.rows {
            let name = try rows.text(row, 0)
            guard let fault = fault(name, try rows.bytes(row, 1)) else { continue }
            let own = marks.first { $0.name == name && name == Self.checkpointKey }
            let refusal = own.flatMap { session.refusal(ofCheckpointKey: $0.bytes) }
            throw StorageFailure(.otherKeys, "\(place): \(refusal ?? fault)")
        }
    }
}
