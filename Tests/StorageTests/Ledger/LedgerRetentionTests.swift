import Offers
import Testing

@testable import Storage

@Suite("Deletion from the ledger, and its clock", .timeLimit(.minutes(30)))
struct LedgerRetentionTests {
    /// A ledger that keeps a year, and was written once a day for so many days.
    private func filled(_ home: LedgerHome, days: Int) throws -> (fixture: LedgerFixture, store: LedgerStore) {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 365)
        for day in 0..<days {
            if day > 0 { fixture.advance(days: 1) }
            try sign(by: fixture, in: store)
        }
        return (fixture, store)
    }

    private func sign(by fixture: LedgerFixture, in store: LedgerStore) throws {
        _ = try store.commit([.of(maximumAccounts: 3, at: fixture.now)])
    }

    /// Deletes until nothing is left to delete.
    private func delete(from store: LedgerStore, byClockOf fixture: LedgerFixture) throws {
        while try store.deleteOld(byClock: fixture.now) > 0 {}
    }

    private func presentations(_ fixture: LedgerFixture) throws -> [String] {
        try fixture.rows("SELECT count(*) FROM ledger_presentations")
    }

    @Test("A clock that is years ahead deletes nothing, started and signed by or not", arguments: LedgerHome.allCases)
    func ahead(home: LedgerHome) throws {
        let (fixture, _) = try filled(home, days: 10)
        fixture.advance(days: 3 * 365)
        for start in 1...3 {
            let store = try fixture.store(retentionDays: 365)
            try delete(from: store, byClockOf: fixture)
            #expect(try fixture.records().count == 9 + start)
            #expect(try presentations(fixture) == ["1"])
            try sign(by: fixture, in: store)
            fixture.advance(days: 0, seconds: 3600)
        }
        #expect(try fixture.verify().faults.isEmpty)
    }

    @Test("A clock that is years ahead deletes no more than a month before its time", arguments: LedgerHome.allCases)
    func bound(home: LedgerHome) throws {
        let (fixture, store) = try filled(home, days: 366)
        fixture.advance(days: 3 * 365)
        try delete(from: store, byClockOf: fixture)
        #expect(try fixture.records().count == 366 - 30)
        #expect(try fixture.verify().faults.isEmpty)
    }

    @Test("A service that signs every day has as many days on record as are kept", arguments: LedgerHome.allCases)
    func steady(home: LedgerHome) throws {
        let (fixture, store) = try filled(home, days: 370)
        try delete(from: store, byClockOf: fixture)
        let records = try fixture.records()
        #expect(records.first?.time == fixture.now.adding(seconds: -365 * 86_400))
        #expect(records.count == 366)
    }

    @Test("A service that paused for some weeks deletes what is due at once", arguments: LedgerHome.allCases)
    func pause(home: LedgerHome) throws {
        let (fixture, store) = try filled(home, days: 350)
        fixture.advance(days: 29)
        try delete(from: store, byClockOf: fixture)
        #expect(try fixture.records().first?.time == fixture.now.adding(seconds: -365 * 86_400))
    }

    @Test("A service that was away longer deletes what is due after a day of signing", arguments: LedgerHome.allCases)
    func away(home: LedgerHome) throws {
        let (fixture, store) = try filled(home, days: 10)
        fixture.advance(days: 400)
        try sign(by: fixture, in: store)
        try delete(from: store, byClockOf: fixture)
        #expect(try fixture.records().count == 11)
        fixture.advance(days: 1)
        try sign(by: fixture, in: store)
        fixture.advance(days: 1)
        try delete(from: store, byClockOf: fixture)
        #expect(try fixture.records().count == 2)
        #expect(try fixture.verify().faults.isEmpty)
    }

    @Test("An empty ledger has nothing to delete", arguments: LedgerHome.allCases)
    func empty(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        #expect(try fixture.store(retentionDays: 1).deleteOld(byClock: fixture.now) == 0)
    }
}
