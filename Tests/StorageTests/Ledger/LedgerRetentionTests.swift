import Offers
import Testing

@testable import Storage

@Suite("Deletion from the ledger", .timeLimit(.minutes(30)))
struct LedgerRetentionTests {
    /// A year is kept: days on which a signature is recorded, days that pass, starts of a service, and deletions with the
    /// records that they leave.
    private static let clocks = TableRow.rows(
        """
        A clock that is years ahead deletes nothing, started and signed by or not
            signs on 10 days
            later 1095
            starts
            deletes → 10
            signs on 1 days
            starts
            deletes → 11
            signs on 1 days
            starts
            deletes → 12
            presentations → 1
        A clock that is years ahead deletes no more than a month before its time
            signs on 366 days
            later 1095
            deletes → 336
        A service that signs every day has as many days on record as are kept
            signs on 370 days
            deletes → 366
        A service that paused for some weeks deletes what is due at once
            signs on 350 days
            later 29
            deletes → 337
        A service that was away longer deletes what is due after a day of signing
            signs on 10 days
            later 400
            signs on 1 days
            deletes → 11
            later 1
            signs on 1 days
            later 1
            deletes → 2
        An empty ledger has nothing to delete
            deletes → 0
        """
    )

    @Test("The clock decides what is old, as far as records bear it out", arguments: LedgerHome.allCases, clocks)
    func clock(home: LedgerHome, row: TableRow) throws {
        let fixture = try LedgerFixture(home)
        var store = try fixture.store(retentionDays: 365)
        for step in row.statements {
            let words = step.split(separator: " ")
            let number = words.compactMap { Int($0) }.first ?? 0
            switch words[0] {
            case "signs":
                for day in 0..<number {
                    if day > 0 { fixture.advance(days: 1) }
                    _ = try store.commit([.of(maximumAccounts: 3, at: fixture.now)])
                }
            case "later": fixture.advance(days: number)
            case "starts": store = try fixture.store(retentionDays: 365)
            case "deletes":
                while try store.deleteOld(byClock: fixture.now) > 0 {}
                #expect(try fixture.records().count == number, "\(step)")
            default: #expect(try fixture.rows("SELECT count(*) FROM ledger_presentations") == ["\(number)"])
            }
        }
        // Only a start signs the checkpoint that `verify` demands.
        if row.statements.contains(where: { $0.hasPrefix("signs") }) { try fixture.verifySound() }
    }

    @Test(
        "Old records go, also twice; what is left can be verified, and its beginning cannot be changed",
        arguments: LedgerHome.allCases
    )
    func again(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 10)
        for _ in 0..<3 {
            _ = try store.commit([.of(count: 5, at: fixture.now)])
            try store.writeCheckpoint()
            fixture.advance(days: 8)
            _ = try store.deleteOld(countingFrom: fixture.now)
        }
        #expect(try fixture.verifySound().records == 5)
        try fixture.keep()
        for (attack, number) in [
            ("DELETE FROM ledger_records WHERE number = 11", 11),
            (LedgerTamperings.inserting("writer", "10", from: 11), 10),
        ] as [(String, Int64)] {
            try fixture.execute(attack)
            #expect(try fixture.verify().faults.map(\.number) == [number], "\(attack)")
            try fixture.restore()
        }
        fixture.advance(days: 30)
        #expect(try store.deleteOld(countingFrom: fixture.now) == 5)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        #expect(try fixture.verifySound().records == 1)
    }

    @Test(
        "A deletion goes step by step, from the oldest chain on, and after each step the rest can be verified",
        arguments: LedgerHome.allCases
    )
    func steps(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        for _ in 0..<2 {
            let store = try fixture.store()
            for _ in 0..<3 { _ = try store.commit([.of(count: 200, maximumAccounts: 3, at: fixture.now)]) }
            try store.writeCheckpoint()
            fixture.advance(days: 1)
        }
        fixture.advance(days: 40)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        let store = try fixture.store(retentionDays: 10)
        var left = 1201
        // The first step deletes the one presentation.
        #expect(try store.deleteOld(countingFrom: fixture.now) == 1)
        for expected in [500, 100, 500, 100, 0] {
            #expect(try store.deleteOld(countingFrom: fixture.now) == expected)
            left -= expected
            #expect(try fixture.verifySound().records == left)
        }
        #expect(left == 1)
    }
}
