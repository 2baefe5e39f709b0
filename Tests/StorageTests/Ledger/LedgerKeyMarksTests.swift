import Crypto
import Offers
import Testing

@testable import Storage

@Suite("The keys that a ledger is written with")
struct LedgerKeyMarksTests {
    private static let checkpointKey = Array(P256.Signing.PrivateKey().publicKey.derRepresentation)

    private func marks(digestKey: UInt8 = 1, checkpointKey: [UInt8]? = Self.checkpointKey) throws -> LedgerKeyMarks {
        let key = try #require(DigestKey(bytes: Array(repeating: digestKey, count: 32)))
        return LedgerKeyMarks(digestKey: key, checkpointKeySPKI: checkpointKey)
    }

    @Test(
        "Other keys than before are refused, by the setting's name, by writers and readers",
        arguments: LedgerHome.allCases
    )
    func others(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        for _ in 0..<2 { try await fixture.open(with: marks()) }
        let others = [
            ("ledger.digestKeyFile", try marks(digestKey: 2)),
            (
                "ledger.checkpointKeyFile",
                try marks(checkpointKey: Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
            ),
        ]
        for (setting, marks) in others {
            for readOnly in [false, true] {
                let failure = await #expect(throws: StorageFailure.self) {
                    try await fixture.open(with: marks, readOnly: readOnly)
                }
                #expect(failure?.code == .otherKeys)
                #expect(failure?.detail.contains(setting) == true, "\(failure?.detail ?? "")")
            }
        }
        try await fixture.open(with: marks(checkpointKey: nil), readOnly: true)
        try await fixture.open(with: marks())
    }

    @Test(
        "Of many who begin a ledger at once with different keys, those with one pair of them write it",
        arguments: LedgerHome.allCases
    )
    func race(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        // Who makes the tables is another question.
        _ = try fixture.store()
        let opened = try await withThrowingTaskGroup(of: UInt8?.self) { group in
            for number in 0..<8 {
                let key = UInt8(number % 4)
                let marks = try marks(digestKey: key)
                group.addTask {
                    do {
                        try await fixture.open(with: marks)
                        return key
                    } catch let failure as StorageFailure where failure.code == .otherKeys {
                        return nil
                    }
                }
            }
            return try await group.reduce(into: [UInt8?]()) { $0.append($1) }
        }
        #expect(opened.compactMap(\.self).count == 2)
        #expect(Set(opened.compactMap(\.self)).count == 1)
    }

    @Test("A digest key's mark is no account's digest, and two keys have two")
    func mark() throws {
        let keys = try (0..<2).map { try #require(DigestKey(bytes: Array(repeating: $0, count: 32))) }
        #expect(keys[0].mark != keys[1].mark)
        #expect(keys[0].mark != keys[0].accountDigest("", bundleId: ""))
        #expect(keys[0].mark != keys[0].digest(customer: nil, originalTransactionId: nil, bundleId: ""))
    }
}
