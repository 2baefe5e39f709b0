import Crypto
import Foundation
import Offers
import Testing

@testable import Storage

@Suite("How a chain began, once retention has deleted its first records")
struct LedgerBeginningTests {
    /// A ledger of two chains, each of whose first five records were deleted for their age, and one was not.
    private func filled(_ home: LedgerHome) throws -> (LedgerFixture, writers: [String]) {
        let fixture = try LedgerFixture(home)
        let stores = try (0..<2).map { _ in try fixture.store(retentionDays: 10) }
        for store in stores {
            _ = try store.commit([.of(count: 5, at: fixture.now)])
            fixture.advance(days: 1)
        }
        fixture.advance(days: 20)
        for store in stores { _ = try store.commit([.of(at: fixture.now)]) }
        while try stores[0].deleteOld(countingFrom: fixture.now) > 0 {}
        #expect(try fixture.records().map(\.number) == [6, 6])
        return (fixture, try fixture.archive().chains().map(\.writer))
    }

    @Test("It is as it was: the ledger is in order", arguments: LedgerHome.allCases)
    func untouched(home: LedgerHome) throws {
        let found = try filled(home).0.verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.records == 2)
    }

    @Test("A chain that was deleted is missed, though the next one says no more of it", arguments: LedgerHome.allCases)
    func deleted(home: LedgerHome) throws {
        let (fixture, writers) = try filled(home)
        for table in ["ledger_records", "ledger_checkpoints", "ledger_chains"] {
            try fixture.execute("DELETE FROM \(table) WHERE writer = '\(writers[0])'")
        }
        try fixture.execute(
            "UPDATE ledger_chains SET previous_writer = NULL, previous_number = NULL, previous_hash = NULL"
        )
        let faults = try fixture.verify().faults
        #expect(faults.map(\.writer) == [writers[1]])
        #expect(faults.map(\.number) == [5])
        #expect(faults.first?.detail.contains("a chain before it may be missing") == true, "\(faults)")
    }

    @Test("What a version signed that said nothing of it is taken as it is", arguments: LedgerHome.allCases)
    func older(home: LedgerHome) throws {
        let (fixture, writers) = try filled(home)
        for writer in writers {
            let new = try #require(try fixture.archive().checkpoints(.retention, of: writer, after: 0, limit: 1).first)
            let old = try LedgerCheckpoint(
                .retention,
                of: writer,
                at: LedgerChain.Head(number: new.number, hash: new.hash),
                time: new.time,
                signer: fixture.signer
            )
            let bytes = old.signature.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let value = home == .sqlite ? "x'\(bytes)'" : "decode('\(bytes)', 'hex')"
            try fixture.execute(
                "UPDATE ledger_checkpoints SET signature = \(value) WHERE writer = '\(writer)' AND kind = 'retention'"
            )
        }
        #expect(try fixture.verify().faults.isEmpty)
    }
}
