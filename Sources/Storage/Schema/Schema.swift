extension Migration {
    /// Every step, in the order in which they are made: new ones go to the end.
    static let inOrder = [
        first, LedgerLoss.migration, RedemptionSQL.migration, RedemptionFeedSQL.migration,
        DurableHistoryProgress.migration, HoldoutSQL.migration, LockRows.migration, AskedCall.migration,
        RedemptionFeedSQL.storedAt, ErasureSQL.migration,
        RedemptionSQL.retentionMigration, ConfigurationSQL.migration, LedgerKeyChange.migration,
    ]

    static let first = Migration(
        "1",
        ledger + state + funnel + products,
        others: [
            .sqlite: clustered("WITHOUT ROWID") + NonceSQL.sqliteTables + [
                "CREATE INDEX ledger_presentations_last_seen ON ledger_presentations (last_seen)"
            ],
            .postgreSQL: clustered("") + [
                // Half as large as a tree of them: a change of a page that is the first since a checkpoint is logged whole.
                "CREATE INDEX ledger_records_nonce ON ledger_records USING hash (nonce)",
                // No index has `last_seen`, and pages have room: a presentation is noted anew without a change of an index.
                "ALTER TABLE ledger_presentations SET (fillfactor = 90)",
            ],
        ]
    )

    /// The ledger: chains, their records, signed statements, and the customers that evidence was presented for.
    private static let ledger = [
        """
        CREATE TABLE ledger_chains (
            writer TEXT NOT NULL PRIMARY KEY,
            started_at BIGINT NOT NULL,
            previous_writer TEXT,
            previous_number BIGINT,
            previous_hash BYTEA,
            signature BYTEA NOT NULL
        )
        """,
        """
        CREATE TABLE ledger_statements (
            writer TEXT NOT NULL,
            kind TEXT NOT NULL,
            number BIGINT NOT NULL,
            hash BYTEA NOT NULL,
            time BIGINT NOT NULL,
            signature BYTEA NOT NULL,
            PRIMARY KEY (writer, kind)
        )
        """,
        """
        CREATE TABLE ledger_checkpoints (
            id BIGINT NOT NULL PRIMARY KEY,
            chains BIGINT NOT NULL,
            newest TEXT NOT NULL,
            open TEXT NOT NULL,
            time BIGINT NOT NULL,
            signature BYTEA NOT NULL
        )
        """,
        "CREATE TABLE ledger_key_marks (name TEXT NOT NULL PRIMARY KEY, mark BYTEA NOT NULL)",
        // The result of the last verification, as a note for operators.
        """
        CREATE TABLE ledger_verifications (
            id BIGINT NOT NULL PRIMARY KEY,
            time BIGINT NOT NULL,
            chains BIGINT NOT NULL,
            records BIGINT NOT NULL,
            faults BIGINT NOT NULL
        )
        """,
    ]

    /// The tables that signatures and evidence add rows to, and the answers to calls, which are kept for an hour.
    ///
    /// In SQLite each is one tree in the order of its key. A table with an index for its key is two, and a commit writes the
    /// changed pages of each.
    private static func clustered(_ suffix: String) -> [String] {
        [
            """
            CREATE TABLE ledger_records (
                writer TEXT NOT NULL,
                number BIGINT NOT NULL,
                time BIGINT NOT NULL,
                client TEXT NOT NULL,
                bundle_id TEXT NOT NULL,
                product_id TEXT NOT NULL,
                offer_id TEXT NOT NULL,
                format TEXT NOT NULL,
                key_id TEXT NOT NULL,
                nonce TEXT NOT NULL,
                timestamp BIGINT NOT NULL,
                reason TEXT NOT NULL,
                evidence TEXT,
                environment TEXT,
                original_transaction_id TEXT,
                account BYTEA,
                customer BYTEA NOT NULL,
                hash BYTEA NOT NULL,
                PRIMARY KEY (writer, number)
            ) \(suffix)
            """,
            "CREATE INDEX ledger_records_time ON ledger_records (time)",
            "CREATE INDEX ledger_records_customer ON ledger_records (customer, offer_id, time)",
            """
            CREATE TABLE ledger_presentations (
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL,
                original_transaction_id TEXT NOT NULL,
                customer BYTEA NOT NULL,
                last_seen BIGINT NOT NULL,
                PRIMARY KEY (original_transaction_id, bundle_id, environment, customer)
            ) \(suffix)
            """,
            """
            CREATE TABLE kept_answers (
                request_id TEXT NOT NULL,
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL,
                original_transaction_id TEXT NOT NULL,
                answered_at BIGINT NOT NULL,
                body BYTEA NOT NULL,
                PRIMARY KEY (request_id, bundle_id, environment, original_transaction_id)
            ) \(suffix)
            """,
            "CREATE INDEX kept_answers_time ON kept_answers (answered_at)",
        ] + held.map { "\($0) \(suffix)" }
    }

    /// Held state: what Apple said of each subscription, in few bytes, and the subscriptions of each account.
    ///
    /// Accounts are digests. A row of an account without identifier says since when all its subscriptions are known.
    private static let held = [
        """
        CREATE TABLE held_subscriptions (
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            original_transaction_id TEXT NOT NULL,
            body BYTEA NOT NULL,
            PRIMARY KEY (original_transaction_id, bundle_id, environment)
        )
        """,
        """
        CREATE TABLE held_accounts (
            account BYTEA NOT NULL,
            bundle_id TEXT NOT NULL,
            original_transaction_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            all_as_of BIGINT,
            PRIMARY KEY (account, bundle_id, original_transaction_id, environment)
        )
        """,
    ]

    /// Redemptions, each with the record of the signature that made it possible, each of at most one; and notifications.
    private static let state = [
        """
        CREATE TABLE redemptions (
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            original_transaction_id TEXT NOT NULL,
            transaction_id TEXT NOT NULL,
            product_id TEXT NOT NULL,
            offer_id TEXT NOT NULL,
            redeemed_at BIGINT,
            price BIGINT,
            currency TEXT,
            storefront TEXT,
            signed_writer TEXT,
            signed_number BIGINT,
            PRIMARY KEY (bundle_id, environment, original_transaction_id, transaction_id)
        )
        """,
        "CREATE INDEX redemptions_time ON redemptions (redeemed_at)",
        "CREATE UNIQUE INDEX redemptions_signed ON redemptions (signed_writer, signed_number)",
        """
        CREATE TABLE notifications (
            id TEXT NOT NULL PRIMARY KEY,
            type TEXT NOT NULL,
            subtype TEXT,
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            signed_at BIGINT NOT NULL,
            received_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX notifications_received ON notifications (received_at)",
        "CREATE TABLE state_generation (id BIGINT NOT NULL PRIMARY KEY, generation BIGINT NOT NULL)",
        "INSERT INTO state_generation (id, generation) VALUES (1, 0)",
    ]

    /// Decisions, counted by day: days are counted from 1970-01-01 on.
    private static let funnel = [
        """
        CREATE TABLE offer_counts (
            day BIGINT NOT NULL,
            bundle_id TEXT NOT NULL,
            product_id TEXT NOT NULL,
            offer_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            call TEXT NOT NULL,
            reason TEXT NOT NULL,
            total BIGINT NOT NULL,
            PRIMARY KEY (day, bundle_id, product_id, offer_id, environment, call, reason)
        )
        """
    ]

    /// Product reports: what is known of a product in a country is one text.
    private static let products = [
        """
        CREATE TABLE product_sightings (
            bundle_id TEXT NOT NULL,
            country TEXT NOT NULL,
            product_id TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (bundle_id, country, product_id)
        )
        """,
        """
        CREATE TABLE offers_seen (
            bundle_id TEXT NOT NULL,
            product_id TEXT NOT NULL,
            offer_id TEXT NOT NULL,
            PRIMARY KEY (bundle_id, product_id, offer_id)
        )
        """,
    ]
}
