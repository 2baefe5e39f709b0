import Offers

/// The statements of a commit where PostgreSQL takes many rows at once; the rest is in ``LedgerSQL``.
enum PostgreSQLBatch {
    /// Counts signatures of many customers and offers, and names the customers that many subscriptions were presented for.
    ///
    /// Signatures are those in the ledger, and those that a subscription redeemed though they are not in it.
    private static let counts = """
        SELECT asked.number, NULL::bytea,
            (SELECT count(*) FROM ledger_records AS records
                WHERE records.customer = asked.customer AND records.product_id = asked.product_id
                    AND records.offer_id = asked.offer_id AND records.time > asked.start)
            + (SELECT count(*) FROM redemptions
                WHERE redemptions.bundle_id = asked.bundle_id AND redemptions.environment = asked.environment
                    AND redemptions.original_transaction_id = asked.original_transaction_id
                    AND redemptions.product_id = asked.product_id AND redemptions.offer_id = asked.offer_id
                    AND redemptions.redeemed_at > asked.start AND redemptions.signed_writer IS NULL)
        FROM unnest($1::bytea[], $2::text[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[])
            WITH ORDINALITY AS asked (customer, product_id, offer_id, start, bundle_id, environment,
                original_transaction_id, number)
        UNION ALL
        SELECT asked.number, presented.customer, presented.last_seen
        FROM unnest($8::text[], $9::text[], $10::text[], $11::int8[]) WITH ORDINALITY
            AS asked (bundle_id, environment, original_transaction_id, start, number)
        JOIN ledger_presentations AS presented USING (bundle_id, environment, original_transaction_id)
        WHERE presented.last_seen > asked.start
        """

    /// Adds records, and notes the customers that subscriptions were presented for.
    private static let insertion = """
        WITH presented AS (
            INSERT INTO ledger_presentations (bundle_id, environment, original_transaction_id, customer, last_seen)
            SELECT * FROM unnest($19::text[], $20::text[], $21::text[], $22::bytea[], $23::int8[])
            ON CONFLICT (bundle_id, environment, original_transaction_id, customer)
            DO UPDATE SET last_seen = excluded.last_seen
        )
        INSERT INTO ledger_records (\(LedgerSQL.recordColumns))
        SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::text[],
            $8::text[], $9::text[], $10::text[], $11::int8[], $12::text[], $13::text[], $14::text[], $15::text[],
            $16::bytea[], $17::bytea[], $18::bytea[])
        """

    /// How many pages of a table one step of a deletion looks through.
    private static let step: Int64 = 64

    /// Deletes presentations of before a moment, in milliseconds since 1970, from some pages of their table, and asks whether
    /// there are more pages; beside it the page that comes next.
    static func deletePresentations(from page: Int64, before moment: Int64) -> (calls: [SQLCall], next: Int64) {
        let deletion = """
            DELETE FROM ledger_presentations WHERE ctid >= format('(%s,0)', $1::int8)::tid
                AND ctid < format('(%s,0)', $2::int8)::tid AND last_seen < $3
            """
        let isMore = "SELECT pg_relation_size('ledger_presentations') > $1 * current_setting('block_size')::int8"
        let next = page + step
        return (
            [
                SQLCall(deletion, .integer(page), .integer(next), .integer(moment)),
                SQLCall(isMore, .integer(next)),
            ], next
        )
    }

    /// Adds as many records to a chain as a large commit and takes them away again, to find out whether there is room on the
    /// disk: a little would go into pages that are there.
    static func filling(_ writer: String) -> [SQLCall] {
        let records = """
            INSERT INTO ledger_records (writer, number, time, client, bundle_id, product_id, offer_id, format, key_id,
                nonce, timestamp, reason, customer, hash)
            SELECT $1, -number, 0, repeat('x', 400), '', '', '', '', '', '', 0, '', '', ''
            FROM generate_series(1, 1000) AS numbers (number)
            """
        return [
            SQLCall("SAVEPOINT filling"), SQLCall(records, .text(writer)), SQLCall("ROLLBACK TO SAVEPOINT filling"),
        ]
    }

    /// Counts signatures, and looks up the customers that subscriptions were presented for: it answers with the place of
    /// what was asked, the customer of a presentation, and the count or the time.
    static func count(
        _ counts: [LedgerBatch.SignatureCount],
        _ subscriptions: [LedgerBatch.Presentations]
    ) -> SQLCall {
        SQLCall(
            Self.counts,
            .byteStrings(counts.map(\.customer)),
            .texts(counts.map(\.offer.productId)),
            .texts(counts.map(\.offer.offerId)),
            .integers(counts.map(\.start)),
            .texts(counts.map { $0.redeemed?.bundleId }),
            .texts(counts.map { $0.redeemed?.environment }),
            .texts(counts.map { $0.redeemed?.originalTransactionId }),
            .texts(subscriptions.map(\.subscription.bundleId)),
            .texts(subscriptions.map(\.subscription.environment)),
            .texts(subscriptions.map(\.subscription.originalTransactionId)),
            .integers(subscriptions.map(\.start))
        )
    }

    /// The customers of subscriptions, each in a row with the time.
    struct PresentationRows {
        private let rows: [(subscription: PresentedSubscription, customer: [UInt8], time: Int64)]

        init(_ presentations: [PresentedSubscription: LedgerBatch.Presented]) {
            rows = presentations.flatMap { subscription, customers in
                customers.map { (subscription, $0.key, $0.value) }
            }
        }

        var count: Int { rows.count }

        var columns: [SQLValue] {
            [
                .texts(rows.map(\.subscription.bundleId)), .texts(rows.map(\.subscription.environment)),
                .texts(rows.map(\.subscription.originalTransactionId)), .byteStrings(rows.map(\.customer)),
                .integers(rows.map(\.time)),
            ]
        }
    }

    static func insert(
        _ records: [LedgerRecord],
        _ presentations: [PresentedSubscription: LedgerBatch.Presented]
    ) -> SQLCall {
        let columns: [SQLValue] = [
            .texts(records.map(\.writer)), .integers(records.map(\.number)),
            .integers(records.map(\.time.millisecondsSince1970)), .texts(records.map(\.client)),
            .texts(records.map(\.bundleId)), .texts(records.map(\.productId)), .texts(records.map(\.offerId)),
            .texts(records.map(\.format)), .texts(records.map(\.keyIdentifier)), .texts(records.map(\.nonce)),
            .integers(records.map(\.timestamp.millisecondsSince1970)), .texts(records.map(\.reason)),
            .texts(records.map(\.evidence)), .texts(records.map(\.environment)),
            .texts(records.map(\.originalTransactionId)), .byteStrings(records.map(\.account)),
            .byteStrings(records.map(\.customer)), .byteStrings(records.map(\.hash)),
        ]
        return SQLCall(insertion, columns + PresentationRows(presentations).columns)
    }
}
