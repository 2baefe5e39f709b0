import Dispatch
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("A database's figures for operators")
struct DatabaseFiguresTests {
    @Test("Chains have the number of their records and whether they ended", arguments: LedgerHome.allCases)
    func chains(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let empty = try await fixture.database().recentFigures(since: fixture.now)
        #expect(empty.chainCount == 0 && empty.chains.isEmpty && empty.checkpointAt == nil)
        let first = try fixture.store()
        _ = try first.commit([.of(count: 3, at: fixture.now)])
        try first.endChain()
        fixture.advance(days: 1)
        let second = try fixture.store()
        for _ in 0..<2 { _ = try second.commit([.of(count: 1, at: fixture.now)]) }
        let figures = try await fixture.database(readOnly: true).recentFigures(since: fixture.now)
        #expect(figures.chainCount == 2)
        #expect(figures.chains.map(\.records) == [2, 3])
        #expect(figures.chains.map(\.isEnded) == [false, true])
        #expect(figures.checkpointAt == fixture.now)
    }

    @Test("A verification is noted in the place of the one before", arguments: LedgerHome.allCases)
    func verification(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let database = try fixture.database()
        #expect(try await database.recentFigures(since: fixture.now).lastVerification == nil)
        for faults in [2, 0] as [Int64] {
            let note = NotedVerification(at: fixture.now, chains: 1, records: 5, faults: faults)
            try database.record(note)
            #expect(try await database.recentFigures(since: fixture.now).lastVerification == note)
            // A ledger that is not sound is one that was never verified, to the alert.
            let verifiedAt = try DatabaseFigures(of: database, at: fixture.now).verifiedAt
            #expect(verifiedAt == (faults == 0 ? fixture.now : Timestamp(millisecondsSince1970: 0)))
        }
    }

    @Test("The size is that of all that the database has", arguments: LedgerHome.allCases)
    func size(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let database = try fixture.database()
        let before = try DatabaseFigures(of: database, at: fixture.now).bytes
        #expect(before > 10_000)
        try fixture.execute("CREATE TABLE filler (value TEXT)")
        let text = String(repeating: "x", count: 1000)
        for _ in 0..<3 { try fixture.execute("INSERT INTO filler VALUES ('\(text)')") }
        for _ in 0..<9 { try fixture.execute("INSERT INTO filler SELECT value FROM filler") }
        let after = try DatabaseFigures(of: database, at: fixture.now).bytes
        #expect(after - before > 1_536_000 && after - before < 6_000_000)
        #expect(try await database.recentFigures(since: fixture.now).bytes >= 1_536_000)
    }

    @Test("Nobody waits for a figure; it is looked for once at a time, and again at once where it was not found")
    func recent() async throws {
        let looks = Mutex(0)
        let mayEnd = DispatchSemaphore(value: 0)
        let figure = RecentFigure<Int>()
        @Sendable func find() async -> Int? {
            let number = looks.withLock { looks in
                looks += 1
                return looks
            }
            return await DispatchQueue.global().perform {
                mayEnd.wait()
                return number > 1 ? number : nil
            }
        }
        for _ in 0..<3 { #expect(figure.latest(find) == nil) }
        #expect(looks.withLock { $0 } <= 1)
        mayEnd.signal()
        try await wait {
            _ = figure.latest(find)
            return looks.withLock { $0 } == 2
        }
        mayEnd.signal()
        try await wait { figure.latest(find) != nil }
        try await Task.sleep(for: .milliseconds(20))
        let found = try #require(figure.latest(find))
        #expect(found.value == 2)
        #expect(found.age >= .milliseconds(20))
        #expect(looks.withLock { $0 } == 2)
    }

    @Test("A figure that is too old is shown, with its age, until it was found anew")
    func old() async throws {
        let figure = RecentFigure<Int>(life: .zero)
        let found = Mutex<Int?>(1)
        @Sendable func find() async -> Int? { found.withLock { $0 } }
        try await wait { figure.latest(find)?.value == 1 }
        found.withLock { $0 = nil }
        try await wait { figure.latest(find)?.age ?? .zero > .milliseconds(50) }
        #expect(figure.latest(find)?.value == 1)
        found.withLock { $0 = 2 }
        try await wait { figure.latest(find)?.value == 2 }
    }
}
