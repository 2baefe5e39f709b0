import Crypto
import Offers
import PostgreSQLServer
import Testing

@testable import Storage

@Suite("A database role that may only connect", .timeLimit(.minutes(30)))
struct StrangerTests {
    private let role: TestRole
    private let fixture: LedgerFixture

    init() throws {
        role = try TestRole()
        fixture = try LedgerFixture(.postgresql, at: role.database)
    }

    /// The keys of the advisory locks that 0.3.0 takes: in its sources, and of a customer, as pg_locks shows it to everybody.
    private var keys: [Int64] {
        let customer = testDigestKey.digest(
            customer: "alice",
            originalTransactionId: nil,
            bundleId: "com.example.reader"
        )
        let states = ["all", "redemptions"].map { Array("offer-signer state \($0)\n\n".utf8) }
        return [0x4F66_6665_7253_676E, 0x4F66_6665_7243_686E, 0x4F66_6665_7244_656C, 0x4F66_6665_7248_7374]
            + ([customer] + states).map { SHA256.hash(data: $0).prefix(8).reduce(0) { $0 << 8 | Int64($1) } }
    }

    @Test("It keeps nobody from starting, signing, remembering, deleting or reading Apple's history by a lock")
    func locks() async throws {
        let stranger = try PostgreSQLConnection.patient(role.location)
        for key in keys { try stranger.query("SELECT pg_advisory_lock($1)", .integer(key)) }
        let database = try fixture.database()
        let store = try fixture.store(retentionDays: 1, in: database)
        #expect(try store.commit([.of(account: "alice", limit: 5, at: fixture.now)]) == [[.recorded]])
        try store.writeCheckpoint()
        let states = StateStore(database, digestKey: testDigestKey)
        let redeemed = seen(subscription("1", offer: .promotional("comeback50")))
        #expect(try states.commit([StateWork(notification: nil, observation: redeemed)]) == [true])
        #expect(try await DurableHistoryProgress(database).isReader())
        fixture.advance(days: 3)
        #expect(try store.deleteOld(countingFrom: fixture.now) == 1)
        try store.endChain()
        try fixture.verifySound()
    }

    @Test("Who takes the lock of a writer's life delays no commit, only the end of a dead chain, and is named")
    func life() async throws {
        let database = try PostgreSQLDatabase(role.database)
        let store = try fixture.store(in: database)
        _ = try store.commit([.of(at: fixture.now)])
        let lock = """
            FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        let stranger = try PostgreSQLConnection.patient(role.location)
        let key = try stranger.query("SELECT (classid::int8 << 32) | objid::int8 \(lock) AND granted")
        // The writer's connection ends, and the stranger is quicker.
        try role.administrator.query("SELECT pg_terminate_backend(pid) \(lock) AND granted")
        try stranger.query("SELECT pg_advisory_lock($1)", .integer(try key.integer(0, 0)))
        try await wait { (try? store.commit([.of(at: fixture.now)])) == [[.recorded]] }
        #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
        try await wait { database.warnings.contains { $0.contains("role \(role.name), process ") } }
        // The writer dies. Another's chain begins all the same, and the stranger's leave is the end of the dead one.
        await database.close()
        func ended() throws -> String {
            try fixture.rows("SELECT count(*) FROM ledger_statements WHERE kind = 'end'").joined()
        }
        let next = try fixture.store()
        #expect(try next.commit([.of(at: fixture.now)]) == [[.recorded]])
        #expect(try ended() == "0")
        #expect(try stranger.query("SELECT pg_advisory_unlock($1)", .integer(try key.integer(0, 0))).boolean(0, 0))
        #expect(try fixture.store().commit([.of(at: fixture.now)]) == [[.recorded]])
        #expect(try ended() == "1")
        try fixture.verifySound()
    }

    @Test("Where rows that are locked are gone nothing is signed, and how to put them back is said")
    func rowsAreGone() throws {
        let store = try fixture.store()
        _ = try store.commit([.of(account: "alice", limit: 5, at: fixture.now)])
        try fixture.execute("CREATE TABLE locks AS SELECT * FROM ledger_locks")
        try fixture.execute("DELETE FROM ledger_locks WHERE id >= 0")
        let failure = #expect(throws: StorageFailure.self) {
            try store.commit([.of(account: "alice", limit: 5, at: fixture.now)])
        }
        let fix = try #require(failure?.detail.split(separator: "tables, ").last.map(String.init))
        #expect(fix.hasPrefix("INSERT INTO ledger_locks"))
        #expect(try fixture.records().count == 1)
        try fixture.execute(fix)
        #expect(try fixture.rows("SELECT count(*) FROM ledger_locks JOIN locks USING (id)") == ["65539"])
        #expect(try store.commit([.of(account: "alice", limit: 5, at: fixture.now)]) == [[.recorded]])
    }
}
