import Crypto
import Offers
import PostgreSQLServer
import Testing

@testable import Storage

@Suite("What a signature costs PostgreSQL", .timeLimit(.minutes(30)))
struct PostgreSQLCostTests {
    /// A database of a server that counts what it does.
    private struct Counted {
        let server: PostgreSQLServer
        let name: String
        let database: PostgreSQLDatabase

        init() throws {
            server = try PostgreSQLServer()
            try server.query("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
            // Its transactions would be counted, too.
            try server.query("ALTER SYSTEM SET autovacuum = off")
            server.stop()
            try server.start()
            try server.query("CREATE EXTENSION pg_stat_statements")
            name = try server.makeDatabase()
            database = try PostgreSQLDatabase(url: server.url(of: name), access: .readWrite)
        }

        /// How many statements about the tables and their locks there were, and how many transactions wrote.
        func count(_ body: () async throws -> Void) async throws -> (statements: Int, writing: Int) {
            try server.query("SELECT pg_stat_statements_reset()")
            let before = try transaction()
            try await body()
            let writing = try transaction() - before - 1
            let statements = try server.query(
                """
                SELECT coalesce(sum(calls), 0) FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
                WHERE datname = '\(name)' AND query ~ 'ledger_|held_|state_generation|advisory|BEGIN.*READ ONLY'
                """
            )
            return (try #require(Int(statements)), writing)
        }

        private func transaction() throws -> Int { try #require(Int(try server.query("SELECT pg_current_xact_id()"))) }
    }

    private let now = Timestamp(millisecondsSince1970: 1_795_000_000_000)

    /// The database looks after its connections meanwhile, every ten seconds.
    private func isAbout(_ expected: Int, _ counted: Int) -> Bool { (expected...expected + 2).contains(counted) }

    @Test(
        "A commit of the ledger is one transaction of six statements: locks, end of the chain, counts, rows, and both read back"
    )
    func commit() async throws {
        let counted = try Counted()
        let store = try LedgerFixture(.postgresql, at: counted.database.location).store(in: counted.database)
        func sign(_ customers: Range<Int>) throws {
            let entries = customers.map {
                LedgerEntry.of(account: "\($0)", originalTransactionId: "\($0)", limit: 5, maximumAccounts: 2, at: now)
            }
            #expect(try store.commit(entries).allSatisfy { $0 == [.recorded] })
        }
        // The first one begins the chain, and asks how far it is.
        try sign(0..<1)
        let single = try await counted.count { for number in 1...10 { try sign(number..<number + 1) } }
        #expect(isAbout(60, single.statements) && single.writing == 10, "\(single)")
        let together = try await counted.count { try sign(20..<120) }
        #expect(isAbout(6, together.statements) && together.writing == 1, "\(together)")
    }

    @Test(
        "Learning of a customer is one transaction of five statements, and a look-up one statement that writes nothing"
    )
    func learning() async throws {
        let counted = try Counted()
        let store = StateStore(counted.database, digestKey: testDigestKey)
        let learnt = try await counted.count {
            for number in 1...10 {
                let customer = subscription("\(number)", of: digest(UInt8(number)), tie: .presented(at: clock))
                let observation = seen(customer)
                let isTaken = try store.commit([StateWork(notification: nil, observation: observation)])
                #expect(isTaken == [true])
            }
        }
        #expect(isAbout(50, learnt.statements) && learnt.writing == 10, "\(learnt)")
        let looked = try await counted.count {
            for number in 1...10 {
                let held = try await store.held([question(UInt8(number))])[0].get()
                #expect(held.chapters.count == 1)
            }
        }
        #expect(isAbout(10, looked.statements) && looked.writing == 0, "\(looked)")
    }

    @Test("Commits and look-ups find rows by indexes alone, though they were planned when the tables were empty")
    func plansOfEmptyTables() async throws {
        let counted = try Counted()
        let ledger = try LedgerFixture(.postgresql, at: counted.database.location).store(in: counted.database)
        let states = StateStore(counted.database, digestKey: testDigestKey)
        for batch in 0..<10 {
            let entries = (batch * 100..<batch * 100 + 100).map {
                LedgerEntry.of(account: "\($0)", originalTransactionId: "\($0)", limit: 5, maximumAccounts: 2, at: now)
            }
            #expect(try ledger.commit(entries).allSatisfy { $0 == [.recorded] })
        }
        for number in UInt8(0)..<50 {
            let customer = subscription("\(number)", of: digest(number), tie: .presented(at: clock))
            _ = try states.commit([StateWork(notification: nil, observation: seen(customer))])
            #expect(try await states.held([question(number)])[0].get().chapters.count == 1)
        }
        // A server that stops writes down what it has counted.
        counted.server.stop()
        try counted.server.start()
        let read = try counted.server.query(
            """
            SELECT sum(n_tup_ins), sum(seq_tup_read) FROM pg_stat_user_tables
            WHERE relname IN ('ledger_records', 'ledger_presentations', 'held_accounts', 'held_subscriptions')
            """,
            in: counted.name
        )
        #expect(read == "2100|0")
    }

    @Test("To note a presentation anew changes no index")
    func presentedAgain() async throws {
        let fixture = try LedgerFixture(.postgresql)
        let store = try fixture.store()
        for _ in 0..<5 {
            _ = try store.commit([.of(maximumAccounts: 2, at: fixture.now)])
            fixture.advance(days: 0, seconds: 7200)
        }
        var found = ""
        // A server's process says what it has counted some time after it has done it.
        for _ in 0..<600 where !found.hasPrefix("1 4 ") {
            try await Task.sleep(for: .milliseconds(100))
            found = try fixture.rows(
                """
                SELECT n_tup_ins, n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
                WHERE relname = 'ledger_presentations'
                """
            ).joined()
        }
        #expect(found == "1 4 4")
    }

    @Test("Where somebody has the lock of a writer's life nobody waits for it, and it is taken once it is free")
    func life() throws {
        let location = try TestServer.makeDatabase()
        let other = try PostgreSQLConnection(to: location)
        let own = try PostgreSQLConnection(to: location)
        let key = SQLValue.integer(LockRows.life(of: "writer"))
        func hold() throws -> Bool {
            try PostgreSQLSession.transaction(on: own, at: "here") { session throws(StorageFailure) in
                try session.hold("writer")
            }.get()
        }
        try other.query("SELECT pg_advisory_lock($1)", key)
        #expect(try hold())
        #expect(try !hold())
        #expect(try other.query("SELECT pg_advisory_unlock($1)", key).boolean(0, 0))
        #expect(try !hold())
        #expect(try !other.query("SELECT pg_try_advisory_lock($1)", key).boolean(0, 0))
    }

    @Test("Old presentations are looked for in all pages of their table, and once a day")
    func oldPresentations() throws {
        let fixture = try LedgerFixture(.postgresql)
        let store = try fixture.store()
        func present(_ count: Int, daysAgo days: Int, _ name: String) throws {
            let time = fixture.now.adding(days: -days).millisecondsSince1970
            try fixture.execute(
                """
                INSERT INTO ledger_presentations (bundle_id, environment, original_transaction_id, customer, last_seen)
                SELECT 'com.example.reader', 'Production', '\(name)' || number, '\\x00', \(time)
                FROM generate_series(1, \(count)) AS numbers (number)
                """
            )
        }
        func names() throws -> [String] {
            try fixture.rows(
                "SELECT original_transaction_id FROM ledger_presentations ORDER BY original_transaction_id"
            )
        }
        func delete() throws -> Int {
            var steps = 0
            while try store.deleteOld(countingFrom: fixture.now) > 0 { steps += 1 }
            return steps
        }
        try present(1, daysAgo: 1, "first")
        try present(12_000, daysAgo: 1, "young")
        try fixture.execute("UPDATE ledger_presentations SET last_seen = 0 WHERE original_transaction_id LIKE 'young%'")
        try present(1, daysAgo: 1, "last")
        #expect(try delete() > 2)
        #expect(try names() == ["first1", "last1"])
        try present(1, daysAgo: 4000, "old")
        #expect(try delete() == 0)
        #expect(try names() == ["first1", "last1", "old1"])
        fixture.advance(days: 1)
        #expect(try delete() > 0)
        #expect(try names() == ["first1", "last1"])
    }
}
