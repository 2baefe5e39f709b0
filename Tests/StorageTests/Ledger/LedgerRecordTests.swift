import Foundation
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Records of the ledger")
struct LedgerRecordTests {
    @Test("A record says all there is to know of a signature", arguments: LedgerHome.allCases)
    func fields(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let entry = LedgerEntry.of(at: fixture.now)
        #expect(try fixture.store().commit([entry]) == [[.recorded]])
        let record = try #require(try fixture.records().first)
        #expect(record.time == fixture.now)
        #expect(record.client == "backend")
        #expect(record.bundleId == "com.example.reader")
        #expect(record.productId == "monthly")
        #expect(record.offerId == "comeback50")
        #expect(record.format == "discount")
        #expect(record.keyIdentifier == "KEY1234567")
        #expect(record.nonce == entry.grants.first?.signatures.first?.nonce.text)
        #expect(record.timestamp == fixture.now)
        #expect(record.reason == "lapsed")
        #expect(record.evidence == "receiptResponse")
        #expect(record.environment == "Production")
        #expect(record.originalTransactionId == "1000")
        #expect(record.number == 1)
    }

    @Test(
        "An unknown field of a signature is missing in its record, and an empty one is there",
        arguments: LedgerHome.allCases
    )
    func nothing(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let now = fixture.now
        let signature = OfferGrant.Signature(form: .jws, keyIdentifier: "KEY1234567", nonce: Nonce(), timestamp: now)
        let grant = OfferGrant(
            offer: OfferRequest(productId: "monthly", offerId: ""),
            reason: "",
            originalTransactionId: nil,
            signatures: [signature],
            signatureLimit: nil,
            maximumAccounts: nil
        )
        let entry = LedgerEntry(
            time: now,
            client: String(repeating: "ü€😀", count: 200),
            bundleId: "com.example.reader",
            environment: nil,
            evidence: nil,
            account: .none,
            customer: nil,
            grants: [grant]
        )
        #expect(try fixture.store().commit([entry]) == [[.recorded]])
        let record = try #require(try fixture.records().first)
        #expect(record.client == entry.client)
        #expect(record.offerId.isEmpty)
        #expect(record.reason.isEmpty)
        #expect(record.evidence == nil)
        #expect(record.environment == nil)
        #expect(record.originalTransactionId == nil)
        #expect(record.account == nil)
        try fixture.verifySound()
    }

    @Test("A statement that was signed wrongly is not stored, and the next one is", arguments: LedgerHome.allCases)
    func wrongSignature(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        // The beginning of the chain, and a later checkpoint.
        for sign in [{ _ = try store.commit([.of(at: fixture.now)]) }, store.writeCheckpoint] as [() throws -> Void] {
            fixture.signer.isWrong.withLock { $0 = true }
            #expect(throws: StorageFailure(.unavailable, ""), performing: sign)
            fixture.signer.isWrong.withLock { $0 = false }
            try sign()
            #expect(try fixture.records().count == 1)
            try fixture.verifySound()
        }
    }

    @Test("However many come at once, each is on record once, in its order", arguments: LedgerHome.allCases)
    func together(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        var nonces: [String] = []
        for count in 1...40 {
            let entries = (0..<count).map { LedgerEntry.of(account: "\(count) \($0)", at: fixture.now) }
            #expect(try store.commit(entries).joined().allSatisfy { $0 == .recorded })
            nonces += entries.flatMap(\.grants).flatMap(\.signatures).map(\.nonce.text)
        }
        #expect(try fixture.records().map(\.nonce) == nonces)
        let found = try fixture.verifySound()
        #expect(found.records == 820)
    }

    private static let record = LedgerRecord(
        writer: "0123456789abcdef",
        number: 7,
        time: Timestamp(millisecondsSince1970: 1_795_262_400_001),
        client: "backend",
        bundleId: "com.example.reader",
        productId: "monthly",
        offerId: "comeback50",
        format: "discount",
        keyIdentifier: "EXAMPLE123",
        nonce: "0f4c8a9e-0000-4000-8000-000000000001",
        timestamp: Timestamp(millisecondsSince1970: 1_795_262_400_000),
        reason: "lapsed",
        evidence: "receiptResponse",
        environment: "Production",
        originalTransactionId: "1000",
        account: [UInt8](repeating: 1, count: 16),
        customer: [UInt8](repeating: 2, count: 16),
        hash: []
    )

    @Test("A record's hash is what Python's hashlib makes of the format that the documents describe")
    func knownHash() {
        func digits(of record: LedgerRecord) -> String {
            Hexadecimal.text(record.computedHash(after: (0..<32).map { UInt8($0) }))
        }
        #expect(digits(of: Self.record) == "3d3228e24d5be1ac64f9f30d2df25e0098ba30059ab1241becacf5757156ba2d")
        var record = Self.record
        record.evidence = nil
        record.environment = nil
        record.originalTransactionId = nil
        record.account = nil
        #expect(digits(of: record) == "38a5c9c8afae3a4bed92feeb545b2dde9e97cdcdfbe07207dc7d4d88ac380e45")
    }

    @Test("The account is kept as a digest alone, and another key gives another")
    func digest() throws {
        let account = "anna.schmidt@example.com"
        var digests: Set<[UInt8]> = []
        for key: UInt8 in [1, 2] {
            let fixture = try LedgerFixture(.sqlite)
            let store = try fixture.store(digestKey: try #require(DigestKey(bytes: Array(repeating: key, count: 32))))
            _ = try store.commit([.of(account: account, maximumAccounts: 3, at: fixture.now)])
            let record = try #require(try fixture.records().first)
            digests.insert(try #require(record.account))
            digests.insert(record.customer)
            for name in try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path) {
                let bytes = try Data(contentsOf: fixture.directory.url.appending(path: name))
                for secret in [Data(account.utf8), Data("anna.schmidt".utf8), Data(repeating: key, count: 32)] {
                    #expect(bytes.range(of: secret) == nil, "\(name)")
                }
            }
        }
        // A customer who is the whole account has its digest.
        #expect(digests.count == 2)
        #expect(digests.allSatisfy { $0.count == 16 })
    }

    @Test("Records of many writers come in the order of time, page by page", arguments: LedgerHome.allCases)
    func pages(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let stores = try (0..<3).map { _ in try fixture.store() }
        for index in 0..<30 {
            // Ten of one moment: a page ends among them.
            if index % 10 == 0 { fixture.clock.withLock { $0 = $0.adding(seconds: 1) } }
            _ = try stores[index % 3].commit([.of(account: "\(index)", at: fixture.now)])
        }
        let archive = try fixture.database(readOnly: true)
        var place = LedgerPlace(before: Timestamp(millisecondsSince1970: 0))
        var seen: [LedgerRecord] = []
        while true {
            let page = try archive.records(after: place, limit: 7)
            guard let last = page.last else { break }
            place = LedgerPlace(of: last)
            seen += page
        }
        #expect(seen.count == 30)
        #expect(seen.map(\.time) == seen.map(\.time).sorted())
        for moment in Set(seen.map(\.time)) {
            let writers = seen.filter { $0.time == moment }.map(\.writer)
            #expect(writers == writers.sorted())
        }
        #expect(Set(seen.map(\.nonce)).count == 30)
    }

    @Test("At the end of time, too, chains begin, and are written", arguments: LedgerHome.allCases)
    func lastMoment(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        fixture.clock.withLock { $0 = Timestamp(millisecondsSince1970: .max) }
        for _ in 0..<2 { #expect(try fixture.store().commit([.of(at: fixture.now)]) == [[.recorded]]) }
    }

    @Test("To a chain with a number that none comes to nothing is written", arguments: LedgerHome.allCases)
    func lastNumber(home: LedgerHome) throws {
        for number in [Int64.max, Int64.max - 1, Int64.min] {
            let fixture = try LedgerFixture(home)
            let store = try fixture.store()
            _ = try store.commit([.of(at: fixture.now)])
            // What is not committed has the end of the chain read again.
            #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)], while: { false }) }
            // The smallest number has no literal in SQL.
            try fixture.execute("UPDATE ledger_records SET number = \(number / 2) + \(number - number / 2)")
            #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)]) }
        }
    }

    @Test("After a commit that failed, the next goes on where the chain ends", arguments: LedgerHome.allCases)
    func failed(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([.of(at: fixture.now)])
        #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)], while: { false }) }
        #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
        #expect(try fixture.records().map(\.number) == [1, 2])
        // A record that somebody else puts there meanwhile is not what this writer may have written.
        #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)], while: { false }) }
        try fixture.execute(LedgerTamperings.inserting("writer", "3", from: 1))
        #expect(throws: StorageFailure(.malformed, "")) { try store.commit([.of(at: fixture.now)]) }
    }
}
