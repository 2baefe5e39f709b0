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
            try database.note(note)
            #expect(try await database.recentFigures(since: fixture.now).lastVerification == note)
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

    @Test("A figure is looked for once a minute at the most, and again at once where it was not found")
    func recent() async {
        let tries = Mutex(0)
        let figure = RecentFigure {
            tries.withLock { tries in
                tries += 1
                return tries > 1 ? tries : nil
            }
        }
        #expect(await figure.value == nil)
        #expect(await figure.value == 2)
        #expect(await figure.value == 2)
        #expect(figure.latest == 2)
    }

    @Test("A figure that takes long is looked for once, and nobody waits for it")
    func latest() async {
        let looks = Mutex(0)
        let mayEnd = DispatchSemaphore(value: 0)
        let figure = RecentFigure {
            looks.withLock { $0 += 1 }
            mayEnd.wait()
            return 7
        }
        for _ in 0..<3 { #expect(figure.latest == nil) }
        mayEnd.signal()
        while figure.latest == nil { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(figure.latest == 7)
        #expect(looks.withLock { $0 } == 1)
    }
}
