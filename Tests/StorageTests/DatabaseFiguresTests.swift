import Dispatch
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("A database's figures for operators")
struct DatabaseFiguresTests {
    @Test(
        "Redemptions of a day count by app where they were signed here and paid for; others do not",
        arguments: LedgerHome.allCases
    )
    func redemptions(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let (store, states) = (try fixture.store(), try fixture.states())
        func redeem(_ id: String) throws {
            let redeemed = subscription(
                id,
                of: nil,
                transactionId: id,
                offer: .promotional("comeback50"),
                bought: fixture.now.adding(seconds: 60)
            )
            let observation = seen(redeemed)
            try states.learn(observation)
        }
        func figures() throws -> DatabaseFigures { try DatabaseFigures(of: try fixture.database(), at: fixture.now) }
        let signed: [LedgerEntry] = ["1", "2", "3"].map {
            .of(account: "", originalTransactionId: $0, at: fixture.now)
        }
        _ = try store.commit(signed)
        #expect(try figures().redemptions == [:])
        try redeem("1")
        try redeem("2")
        try redeem("3")
        try fixture.execute("UPDATE redemptions SET environment = 'Sandbox' WHERE transaction_id = '3'")
        try redeem("4")
        #expect(try figures().redemptions == ["com.example.reader": 2])
        fixture.advance(days: 2)
        #expect(try figures().redemptions == [:])
    }

    @Test("The size is that of all that the database has", arguments: LedgerHome.allCases)
    func size(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let database = try fixture.database()
        let before = try DatabaseFigures(of: database, at: fixture.now).bytes
        #expect(before > 10_000)
        try fixture.execute("CREATE TABLE filler (value TEXT)")
        let text = String(repeating: "x", count: 1000)
        for _ in 0..<3 { try fixture.execute("INSERT INTO filler VALUES ('\(text)')") }
        for _ in 0..<9 { try fixture.execute("INSERT INTO filler SELECT value FROM filler") }
        let grown = try DatabaseFigures(of: database, at: fixture.now).bytes - before
        #expect(grown > 1_536_000 && grown < 6_000_000)
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
