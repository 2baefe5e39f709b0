import Crypto
package import Offers

/// A signed statement that the database has lost the last records of a chain: such as in a failover to a standby that had
/// not got them yet.
///
/// Their signatures were given out. A service that wrote or saw them says so, and an operator acknowledges it before more
/// is signed.
package struct LedgerLoss: Equatable, Sendable {
    /// An operator's word that the loss is known.
    struct Acknowledgement: Equatable, Sendable {
        let time: Timestamp
        let signature: [UInt8]
    }

    package let writer: String
    package let first: Int64
    package let last: LedgerChain.Head
    package let time: Timestamp
    /// The signature, ASN.1 DER, by ECDSA with P-256 and SHA-256.
    var signature: [UInt8] = []
    /// An operator's word that the loss is known; `nil` until it is given.
    var acknowledgement: Acknowledgement?

    package var count: Int64 { LedgerChain.count(from: first, to: last.number) }

    package var isAcknowledged: Bool { acknowledgement != nil }

    mutating func sign(with keys: LedgerKeys) throws(StorageFailure) { signature = try keys.sign(message) }

    mutating func acknowledge(with keys: LedgerKeys, at time: Timestamp) throws(StorageFailure) {
        let signature = try keys.sign(message(acknowledgedAt: time))
        acknowledgement = Acknowledgement(time: time, signature: signature)
    }

    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard key.isSignature(signature, of: message), count > 0 else { return false }
        return acknowledgement.map { key.isSignature($0.signature, of: message(acknowledgedAt: $0.time)) } ?? true
    }

    /// The values that are stored, and signed.
    private var values: [SQLValue] {
        [.text(writer), .integer(first), .integer(last.number), .bytes(last.hash), .time(time)]
    }

    private var message: [UInt8] { CanonicalBytes("offer-signer ledger loss 1", values).bytes }

    private func message(acknowledgedAt time: Timestamp) -> [UInt8] {
        let values = [SQLValue.text(writer), .integer(last.number), .bytes(last.hash), .time(time)]
        return CanonicalBytes("offer-signer ledger loss acknowledged 1", values).bytes
    }

    /// Why nothing is signed.
    static func fault(_ losses: [LedgerLoss]) -> StorageFailure {
        let places = losses.map {
            "chain \($0.writer), records \($0.first) to \($0.last.number), noticed at \($0.time.rfc3339)"
        }
        let count = losses.reduce(Int64(0)) { $0.addingReportingOverflow($1.count).partialValue }
        return StorageFailure(
            .recordsLost,
            "the database lost \(count) record\(count == 1 ? "" : "s") of signatures that were given out, in a failover or by "
                + "being set back (\(places.joined(separator: "; "))): no limit counts them; nothing more is signed until an "
                + "operator runs `offer-signer ledger acknowledge`"
        )
    }
}

extension LedgerLoss {
    static let migration = Migration(
        "losses",
        [
            """
            CREATE TABLE ledger_losses (
                writer TEXT NOT NULL PRIMARY KEY,
                first_number BIGINT NOT NULL,
                last_number BIGINT NOT NULL,
                last_hash BYTEA NOT NULL,
                time BIGINT NOT NULL,
                signature BYTEA NOT NULL,
                acknowledged_at BIGINT,
                acknowledgement BYTEA
            )
            """
        ]
    )

    private static let columns =
        "writer, first_number, last_number, last_hash, time, signature, acknowledged_at, acknowledgement"

    static let all = SQLCall("SELECT \(columns) FROM ledger_losses ORDER BY writer")

    /// Those that no operator knows of yet.
    static let open = SQLCall("SELECT \(columns) FROM ledger_losses WHERE acknowledged_at IS NULL ORDER BY writer")

    /// Adds it, or takes the place of one of the same chain: it was longer, or an operator knows of it now.
    var put: SQLCall {
        SQLCall(
            "INSERT INTO ledger_losses (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (writer) "
                + "DO UPDATE SET first_number = excluded.first_number, last_number = excluded.last_number, "
                + "last_hash = excluded.last_hash, time = excluded.time, signature = excluded.signature, "
                + "acknowledged_at = excluded.acknowledged_at, acknowledgement = excluded.acknowledgement",
            values + [.bytes(signature), SQLValue(acknowledgement?.time), SQLValue(acknowledgement?.signature)]
        )
    }
}

extension Rows {
    func losses() throws(StorageFailure) -> [LedgerLoss] {
        try rows.map { row throws(StorageFailure) in
            var acknowledgement: LedgerLoss.Acknowledgement?
            if let time = try optionalTime(row, 6) {
                acknowledgement = .init(time: time, signature: try bytes(row, 7))
            }
            return LedgerLoss(
                writer: try text(row, 0),
                first: try integer(row, 1),
                last: LedgerChain.Head(number: try integer(row, 2), hash: try bytes(row, 3)),
                time: try time(row, 4),
                signature: try bytes(row, 5),
                acknowledgement: acknowledgement
            )
        }
    }
}
