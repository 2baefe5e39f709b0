import Crypto
import LedgerFixtures
import Offers
import Testing

@testable import Storage

@Suite("Configurations on record")
struct RecordedConfigurationTests {
    @Test(
        "Values that are new are a record of the chain with their SHA-256; the newest ones once more are none",
        arguments: LedgerHome.allCases
    )
    func recorded(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let journal = try fixture.journal()
        var before: [String?] = []
        for values in ["{}", "{}", #"{"a":"1"}"#, "{}"] {
            before.append(try await journal.record(configuration: values))
            fixture.advance(days: 0, seconds: 1)
        }
        _ = try await journal.append(.of(account: "reader", originalTransactionId: "1", at: fixture.now))
        journal.close()
        #expect(before == [nil, "{}", "{}", #"{"a":"1"}"#])
        let found = try fixture.database().configurations()
        #expect(found.map(\.values) == ["{}", #"{"a":"1"}"#, "{}"])
        // sha256sum of {} without a line feed.
        let digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        let first = try #require(found.first?.record)
        #expect(Hexadecimal.text(first.customer) == digest)
        #expect(first.nonce == "44136fa3-55b3-678a-1146-ad16f7e8649e")
        #expect(first.client == "offer-signer" && first.format == "configuration")
        let verified = try fixture.verify()
        #expect(verified.faults.isEmpty)
        #expect(verified.records == 1 && verified.configurations == 3)
    }

    @Test("Two services that start with the same values record them once", arguments: LedgerHome.allCases)
    func twoServices(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let journals = try [fixture.journal(), fixture.journal()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for journal in journals { group.addTask { _ = try await journal.record(configuration: "{}") } }
            try await group.waitForAll()
        }
        for journal in journals { journal.close() }
        #expect(try fixture.database().configurations().count == 1)
    }

    @Test(
        "A text that was changed, taken away or put in is found, and by its record",
        arguments: LedgerHome.allCases,
        [
            ("UPDATE configurations SET body = '{\"a\":\"2\"}' WHERE number = 2", Int64(2)),
            ("DELETE FROM configurations WHERE number = 1", 1),
            ("INSERT INTO configurations SELECT writer, 3, recorded_at, body FROM configurations WHERE number = 1", 3),
        ]
    )
    func changed(home: LedgerHome, change: (sql: String, number: Int64)) async throws {
        let fixture = try LedgerFixture(home)
        let journal = try fixture.journal()
        for values in ["{}", #"{"a":"1"}"#] { _ = try await journal.record(configuration: values) }
        _ = try await journal.append(.of(account: "reader", originalTransactionId: "1", at: fixture.now))
        journal.close()
        try fixture.execute(change.sql)
        let faults = try fixture.verify().faults
        #expect(faults.map(\.number) == [change.number], "\(faults)")
    }

    @Test(
        "With its record a text is deleted for its age; the newest stays, and is not recorded again",
        arguments: LedgerHome.allCases
    )
    func age(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 30)
        _ = try store.record(configuration: "{}")
        fixture.advance(days: 1)
        _ = try store.record(configuration: #"{"a":"1"}"#)
        fixture.advance(days: 60)
        while try store.deleteOld(countingFrom: fixture.now) > 0 {}
        let found = try fixture.database().configurations()
        #expect(found.map(\.values) == [#"{"a":"1"}"#])
        #expect(found.map(\.record) == [nil])
        #expect(try store.record(configuration: #"{"a":"1"}"#) == #"{"a":"1"}"#)
        try store.endChain()
        let verified = try fixture.verify()
        #expect(verified.faults.isEmpty)
        #expect(verified.configurations == 0)
    }
}
