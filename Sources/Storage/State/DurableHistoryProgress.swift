import Dispatch
package import Offers

/// How far Apple's notification history was read, and whether this process is the one to read it.
///
/// With a server it is the one whose name is in a row of ours, for half a minute after it asked last.
package struct DurableHistoryProgress: HistoryProgressStore {
    static let migration = Migration(
        "notification history",
        [
            """
            CREATE TABLE notification_history (
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL,
                reader TEXT NOT NULL,
                since BIGINT NOT NULL,
                mark BIGINT NOT NULL,
                window_start BIGINT,
                window_end BIGINT,
                pagination_token TEXT,
                PRIMARY KEY (bundle_id, environment, reader)
            )
            """
        ]
    )

    private static let select =
        "SELECT since, mark, window_start, window_end, pagination_token FROM notification_history "
        + "WHERE bundle_id = $1 AND environment = $2 AND reader = $3"

    private static let put =
        "INSERT INTO notification_history (bundle_id, environment, reader, since, mark, window_start, window_end, "
        + "pagination_token) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (bundle_id, environment, reader) "
        + "DO UPDATE SET since = excluded.since, mark = excluded.mark, window_start = excluded.window_start, "
        + "window_end = excluded.window_end, pagination_token = excluded.pagination_token"

    private static let delete =
        "DELETE FROM notification_history WHERE bundle_id = $1 AND environment = $2 AND reader = $3"

    /// Puts a reader's name into the row without an app, where it is free: by the server's clock, in milliseconds.
    private static let lease = """
        INSERT INTO notification_history AS lease (bundle_id, environment, reader, since, mark, holder, held_until)
        SELECT '', '', 'service', 0, 0, $1, clock.now + $2::int8
        FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now) AS clock
        ON CONFLICT (bundle_id, environment, reader)
        DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
        WHERE lease.holder = excluded.holder OR lease.held_until < excluded.held_until - $2::int8
        """

    private let database: any SQLDatabase
    private let name = LedgerChain.newWriter()
    private let patience: Duration

    /// A reader that does not ask for as long as the patience is followed by another.
    package init(_ database: any SQLDatabase, patience: Duration = .seconds(30)) {
        self.database = database
        self.patience = patience
    }

    package func progress(
        of owner: HistoryOwner,
        by reader: HistoryReader
    ) async throws(StorageFailure) -> HistoryProgress? {
        let rows = try await database.answer { session throws(StorageFailure) in
            try session.run(SQLCall(Self.select, owner.key(reader)))
        }
        guard rows.count > 0 else { return nil }
        var window: HistoryWindow?
        if let start = try rows.optionalTime(0, 2), let end = try rows.optionalTime(0, 3) {
            window = HistoryWindow(start: start, end: end, paginationToken: try rows.optionalText(0, 4))
        }
        return HistoryProgress(since: try rows.time(0, 0), mark: try rows.time(0, 1), window: window)
    }

    package func put(
        _ progress: HistoryProgress?,
        of owner: HistoryOwner,
        by reader: HistoryReader
    ) async throws(StorageFailure) {
        let key = owner.key(reader)
        let call = progress.map { progress in
            SQLCall(
                Self.put,
                key + [
                    .time(progress.since), .time(progress.mark), SQLValue(progress.window?.start),
                    SQLValue(progress.window?.end), SQLValue(progress.window?.paginationToken),
                ]
            )
        }
        try await DispatchQueue.global(qos: .utility).perform { [database] () throws(StorageFailure) in
            try database.transaction(.repeatable) { session throws(StorageFailure) in
                try session.send(call ?? SQLCall(Self.delete, key))
            }
        }
    }

    /// Whether this process is the one, of all that share the database, that reads for them: it stays it while it asks.
    package func isReader() async throws(StorageFailure) -> Bool {
        if let leads = database.leads { return leads }
        let call = SQLCall(Self.lease, .text(name), .integer(patience.milliseconds))
        return try await DispatchQueue.global(qos: .utility).perform { [database] () throws(StorageFailure) in
            try database.transaction(.repeatable) { session throws(StorageFailure) in try session.run(call).changes == 1
            }
        }
    }
}

extension HistoryOwner {
    fileprivate func key(_ reader: HistoryReader) -> [SQLValue] {
        [.text(bundleId), .text(environment.rawValue), .text(reader.rawValue)]
    }
}
