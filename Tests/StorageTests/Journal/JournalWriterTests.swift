import Dispatch
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("What rides along with the journal's commits", .timeLimit(.minutes(30)))
struct JournalWriterTests {
    /// A journal that gives what rides along no commit of its own for an hour.
    private struct Service {
        let fixture: LedgerFixture
        let journal: Journal

        init(_ home: LedgerHome, observing trouble: @escaping TroubledDatabase.Trouble = { _ in }) throws {
            let fixture = try LedgerFixture(home)
            let database = TroubledDatabase(try fixture.database(), before: trouble)
            journal = try fixture.journal(.init(linger: .seconds(3600)), in: database)
            self.fixture = fixture
        }

        func record() async throws -> [GrantOutcome] {
            try await journal.append(.of(at: fixture.now), until: .now + .seconds(60))
        }

        /// What is stored of a subscription, whatever waits.
        func stored(_ id: String) async throws -> [Chapter] {
            try await fixture.states().held([question(nil, id)])[0].get().chapters
        }
    }

    @Test("A new customer's record and state are one transaction", arguments: LedgerHome.allCases)
    func together(home: LedgerHome) async throws {
        let writes = Mutex<[TroubledDatabase.Call]>([])
        let service = try Service(home) { call in if call.isWrite { writes.withLock { $0.append(call) } } }
        // The first record begins a chain.
        #expect(try await service.record() == [.recorded])
        writes.withLock { $0 = [] }
        service.journal.learn(seen(subscription("1")))
        #expect(try await service.stored("1").isEmpty)
        #expect(try await service.record() == [.recorded])
        #expect(try await service.stored("1") == [subscription("1")])
        #expect(writes.withLock { $0.filter { $0 == .write(.ledger) } }.count == 1)
        #expect(!writes.withLock { $0.contains(.write(.repeatable)) })
        service.journal.close()
    }

    @Test("State that the store does not take refuses no signature", arguments: LedgerHome.allCases)
    func unfit(home: LedgerHome) async throws {
        let service = try Service(home)
        service.journal.learn(seen(subscription("1")))
        #expect(try await service.record() == [.recorded])
        // It cannot be merged with what is stored.
        try service.fixture.execute("UPDATE held_subscriptions SET body = " + (home == .sqlite ? "x'00'" : #"'\x00'"#))
        service.journal.learn(seen(subscription("1", said: 5)))
        #expect(try await service.record() == [.recorded])
        #expect(try await service.record() == [.recorded])
        #expect(try service.fixture.records().count == 3)
        try await wait { service.journal.statesWarning != nil }
        service.journal.close()
    }

    @Test("A subscription that somebody keeps locked delays one commit at the most, and refuses no signature")
    func locked() async throws {
        let service = try Service(.postgresql)
        let row = StateStore.lock("subscription", identity("1").bundleId, "1")
        let other = try PostgreSQLConnection.keeping([row], #require(service.fixture.location))
        service.journal.learn(seen(subscription("1")))
        for _ in 0..<3 { #expect(try await service.record() == [.recorded]) }
        #expect(try await service.stored("1").isEmpty)
        try other.query("ROLLBACK")
        service.journal.close()
        #expect(try await service.stored("1") == [subscription("1")])
    }

    @Test("No signature waits while another service writes redemptions: evidence of one is written beside its record")
    func redemptionsLocked() async throws {
        let service = try Service(.postgresql)
        let other = try PostgreSQLConnection.keeping([LockRows.redemptions], #require(service.fixture.location))
        let redeemed = subscription("1", offer: .promotional("comeback50"))
        service.journal.learn(seen(redeemed))
        service.journal.learn(seen(subscription("2")))
        #expect(try await service.record() == [.recorded])
        #expect(try await service.stored("1").isEmpty)
        #expect(try await service.stored("2") == [subscription("2")])
        try other.query("ROLLBACK")
        service.journal.close()
        #expect(try await service.stored("1") == [redeemed])
        service.journal.close()
    }

    @Test("Evidence of before somebody was forgotten leaves nothing behind", arguments: LedgerHome.allCases)
    func forgotten(home: LedgerHome) async throws {
        let service = try Service(home)
        service.journal.learn(seen(subscription("1")))
        // Another process forgets somebody.
        _ = try service.fixture.states().erase(customer(9))
        #expect(try await service.record() == [.recorded])
        #expect(try await service.stored("1").isEmpty)
        service.journal.learn(seen(subscription("2")))
        #expect(try await service.record() == [.recorded])
        #expect(try await service.stored("2") == [subscription("2")])
        service.journal.close()
    }
}
