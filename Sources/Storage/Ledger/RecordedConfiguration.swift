import Crypto
package import Offers

/// A configuration that was put into use, as the ledger has it: a record of the chain, and its values as a text.
package struct RecordedConfiguration: Equatable, Sendable {
    package let recordedAt: Timestamp
    /// The values, a JSON object; the record has its SHA-256.
    package let values: String
    /// `nil` where it was deleted for its age: the newest text outlives its record.
    package let record: LedgerRecord?

    /// The SHA-256 of the values, 32 bytes.
    package static func digest(of values: String) -> [UInt8] { Array(SHA256.hash(data: Array(values.utf8))) }
}

extension LedgerRecord {
    private static let configuration = "configuration"

    /// Whether it is of a configuration, and not of a signature.
    package var isConfiguration: Bool { format == Self.configuration }

    /// The record of a configuration; its number and its hash are the chain's.
    static func ofConfiguration(_ digest: [UInt8], by writer: String, at time: Timestamp) -> LedgerRecord {
        LedgerRecord(
            writer: writer,
            number: 0,
            time: time,
            client: "offer-signer",
            bundleId: "",
            productId: "",
            offerId: "",
            format: configuration,
            keyIdentifier: "",
            nonce: nonce(of: digest),
            timestamp: time,
            reason: "in_use",
            evidence: nil,
            environment: nil,
            originalTransactionId: nil,
            account: nil,
            customer: digest,
            hash: []
        )
    }

    /// The first 16 bytes of the SHA-256, as a UUID is written.
    private static func nonce(of digest: [UInt8]) -> String {
        let digits = Array(Hexadecimal.text(digest.prefix(16)))
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { String(digits[$0..<$1]) }.joined(separator: "-")
    }

    /// Whether a text is the one of this record.
    func isOf(_ values: String) -> Bool {
        let digest = RecordedConfiguration.digest(of: values)
        return customer == digest && nonce == Self.nonce(of: digest)
    }
}

/// The SQL of configurations, plain for SQLite and PostgreSQL alike.
enum ConfigurationSQL {
    static let migration = Migration(
        "configurations",
        [
            """
            CREATE TABLE configurations (
                writer TEXT NOT NULL,
                number BIGINT NOT NULL,
                recorded_at BIGINT NOT NULL,
                body TEXT NOT NULL,
                PRIMARY KEY (writer, number)
            )
            """
        ]
    )

    static let insert = "INSERT INTO configurations (writer, number, recorded_at, body) VALUES ($1, $2, $3, $4)"

    static let newest = "SELECT body FROM configurations ORDER BY recorded_at DESC, writer DESC, number DESC LIMIT 1"

    static let all = "SELECT writer, number, recorded_at, body FROM configurations ORDER BY recorded_at, writer, number"

    static let body = "SELECT body FROM configurations WHERE writer = $1 AND number = $2"

    static let record =
        "SELECT \(LedgerSQL.recordColumns) FROM ledger_records WHERE writer = $1 AND number = $2"

    /// Texts whose record is none of a configuration, or is gone.
    static let loose =
        "SELECT configurations.writer AS writer, configurations.number AS number FROM configurations "
        + "LEFT JOIN ledger_records ON ledger_records.writer = configurations.writer "
        + "AND ledger_records.number = configurations.number "
        + "WHERE ledger_records.writer IS NULL OR ledger_records.format <> 'configuration' "
        + "ORDER BY configurations.writer, configurations.number"

    /// With the records of a chain up to a number; the newest of all stays, for the next one to be compared with.
    static let delete =
        "DELETE FROM configurations WHERE writer = $1 AND number <= $2 "
        + "AND recorded_at < (SELECT MAX(recorded_at) FROM configurations)"
}

extension Journal {
    /// Puts the values of a configuration on record, unless they are those of the newest one; gives the values before them.
    package func record(configuration values: String) async throws(StorageFailure) -> String? {
        try await queue.perform { [store] () throws(StorageFailure) in try store.record(configuration: values) }
    }
}

extension LedgerStore {
    func record(configuration values: String) throws(StorageFailure) -> String? {
        // Most starts bring nothing new, and begin no chain for it.
        let known = try database.read { session throws(StorageFailure) in try session.newestConfiguration() }
        guard known != values else { return known }
        let digest = RecordedConfiguration.digest(of: values)
        let (keys, now) = (keys, now())
        return try extend { session, head, writer throws(StorageFailure) in
            // Two services that begin at once record the same values once.
            try session.lock(LockRows.chains)
            let before = try session.newestConfiguration()
            var work = try ChainWriter(writer: writer, head: head, digestKey: keys.digestKey)
            guard before != values else { return (before, [], head) }
            let record = work.link(.ofConfiguration(digest, by: writer, at: now))
            try session.send(
                SQLCall(ConfigurationSQL.insert, .text(writer), .integer(record.number), .time(now), .text(values))
            )
            return (before, [record], work.head)
        }
    }
}

extension Session {
    fileprivate func newestConfiguration() throws(StorageFailure) -> String? {
        let rows = try run(ConfigurationSQL.newest)
        return rows.count > 0 ? try rows.text(0, 0) : nil
    }
}

extension SQLDatabase {
    /// The configurations on record, the oldest first.
    package func configurations() throws(StorageFailure) -> [RecordedConfiguration] {
        try read { session throws(StorageFailure) in
            let rows = try session.run(ConfigurationSQL.all)
            return try rows.rows.map { row throws(StorageFailure) in
                let place = [SQLValue.text(try rows.text(row, 0)), .integer(try rows.integer(row, 1))]
                return RecordedConfiguration(
                    recordedAt: try rows.time(row, 2),
                    values: try rows.text(row, 3),
                    record: try session.run([SQLCall(ConfigurationSQL.record, place)]).first?.records().first
                )
            }
        }
    }

    /// Whether the text of a record is there as it was recorded.
    func hasText(of record: LedgerRecord) throws(StorageFailure) -> Bool {
        try read { session throws(StorageFailure) in
            let rows = try session.run(ConfigurationSQL.body, .text(record.writer), .integer(record.number))
            guard rows.count > 0 else { return false }
            return record.isOf(try rows.text(0, 0))
        }
    }

    /// The places of texts that no record speaks of, by writer and number.
    func looseConfigurations() throws(StorageFailure) -> [(writer: String, number: Int64)] {
        try read { session throws(StorageFailure) in
            let rows = try session.run(ConfigurationSQL.loose)
            return try rows.rows.map { row throws(StorageFailure) in (try rows.text(row, 0), try rows.integer(row, 1)) }
        }
    }
}
