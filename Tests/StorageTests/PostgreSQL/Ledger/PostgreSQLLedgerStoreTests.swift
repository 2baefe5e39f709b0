import Crypto
import Dispatch
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("The ledger of several services in PostgreSQL", .timeLimit(.minutes(30)))
struct PostgreSQLLedgerStoreTests {
    private static let writers = 6
    private static let rounds = 40

    private let fixture: LedgerFixture

    init() throws { fixture = try LedgerFixture(.postgresql) }

    /// Has several writers commit at the same moment, again and again.
    private func race(_ entry: @Sendable (_ round: Int, _ writer: Int) -> LedgerEntry) throws -> [[GrantOutcome]] {
        let stores = try (0..<Self.writers).map { _ in try fixture.store() }
        return (0..<Self.rounds).map { round in
            let outcomes = Mutex<[GrantOutcome]>([])
            DispatchQueue.concurrentPerform(iterations: Self.writers) { writer in
                let granted = try? stores[writer].commit([entry(round, writer)])
                outcomes.withLock { $0 += granted?.first ?? [] }
            }
            return outcomes.withLock { $0 }
        }
    }

    @Test("Of six services shown one subscription for six accounts at the same moment, two accounts get theirs")
    func presentations() throws {
        let now = fixture.now
        let rounds = try race { round, writer in
            .of(account: "\(round)-\(writer)", originalTransactionId: "\(round)", maximumAccounts: 2, at: now)
        }
        for outcomes in rounds { #expect(outcomes.count { $0 == .recorded } == 2) }
    }

    @Test("Batches of many customers, in any order, never deadlock")
    func order() throws {
        let now = fixture.now
        let stores = try (0..<4).map { _ in try fixture.store() }
        let failures = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            for _ in 0..<20 {
                let entries = (0..<30).shuffled().map { LedgerEntry.of(account: "\($0)", limit: 1000, at: now) }
                if (try? stores[writer].commit(entries)) == nil { failures.add(1, ordering: .relaxed) }
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
        #expect(try fixture.records().count == 4 * 20 * 30)
        let found = try fixture.verifySound()
        #expect(found.chains == 4)
    }

    @Test(
        "Before it takes signatures again the ledger is asked for all that a signature needs",
        arguments: [
            "SELECT ON redemptions", "SELECT ON ledger_presentations", "INSERT ON ledger_presentations",
            "UPDATE ON ledger_presentations", "INSERT ON ledger_records",
        ]
    )
    func rights(missing: String) throws {
        let role = try TestRole()
        try role.migrate()
        let store = try LedgerFixture(.postgresql, at: role.location).store()
        try store.probe()
        try role.revoke(missing)
        let failure = #expect(throws: StorageFailure(.turnedAway, "")) { try store.probe() }
        #expect(failure?.detail.contains("42501") == true)
        #expect(failure?.detail.contains("grant") == true)
        try role.grant(missing)
        try store.probe()
        #expect(try role.administrator.query("SELECT number FROM ledger_records").count == 0)
        #expect(try role.administrator.query("SELECT last_seen FROM ledger_presentations").count == 0)
    }
}
