import Foundation
import Offers
import Testing

@testable import Storage

@Suite("Answers to Apple's calls, kept with their records")
struct KeptAnswersTests {
    private func call(_ identifier: String = "a", _ id: String = "1000") -> RetentionCallKey {
        RetentionCallKey(requestIdentifier: identifier, subscription: identity(id))
    }

    private func entry(
        _ call: RetentionCallKey,
        _ body: String,
        limit: Int? = nil,
        account: AccountDigest? = nil,
        offers: Bool = true,
        at time: Timestamp
    ) -> LedgerEntry {
        let grant = OfferGrant(
            offer: OfferRequest(productId: "monthly", offerId: "stay"),
            reason: Reason.active.rawValue,
            originalTransactionId: call.subscription.originalTransactionId,
            signatures: [.init(form: .jws, keyIdentifier: "KEY1234567", nonce: Nonce(), timestamp: time)],
            signatureLimit: limit.map { SignatureLimit(maximumSignaturesPerCustomer: $0) }
        )
        return LedgerEntry(
            time: time,
            client: LedgerEntry.retention,
            bundleId: "com.example.reader",
            environment: .production,
            evidence: nil,
            account: .none,
            customer: nil,
            knownAccount: account,
            grants: offers ? [grant] : [],
            answer: KeptAnswer(call: .retention(call)) { _ in Array(body.utf8) }
        )
    }

    @Test(
        "The same call gets the first answer and one record, in one commit and in the next",
        arguments: LedgerHome.allCases
    )
    func once(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        let outcomes = try store.commit([
            entry(call(), "first", at: fixture.now), entry(call(), "second", at: fixture.now),
            entry(call("b"), "other", at: fixture.now), entry(call("a", "2000"), "another's", at: fixture.now),
        ])
        #expect(outcomes == [[.recorded], [.answered(Array("first".utf8))], [.recorded], [.recorded]])
        let another = try fixture.store()
        #expect(try another.commit([entry(call(), "third", at: fixture.now)]) == [[.answered(Array("first".utf8))]])
        #expect(try fixture.records().count == 3)
        #expect(
            try await another.storedAnswer(to: .retention(call()), at: fixture.now).value()
                == .answered(Array("first".utf8))
        )
        #expect(try await another.storedAnswer(to: .retention(call("c")), at: fixture.now).value() == nil)
        // A message is an answer without a record.
        #expect(try store.commit([entry(call("m"), "message", offers: false, at: fixture.now)]) == [[]])
        #expect(
            try another.commit([entry(call("m"), "later", offers: false, at: fixture.now)])
                == [[.answered(Array("message".utf8))]]
        )
        #expect(try fixture.records().count == 3)
    }

    @Test(
        "With an account that is known, its other signatures count, and those from before it was known",
        arguments: LedgerHome.allCases
    )
    func accounts(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        let digest = testDigestKey.digest(of: token, bundleId: "com.example.reader") as AccountDigest
        func outcome(_ identifier: String, _ account: AccountDigest?) throws -> GrantOutcome? {
            try store.commit([entry(call(identifier), "x", limit: 3, account: account, at: fixture.now)]).first?.first
        }
        #expect(try outcome("a", nil) == .recorded)
        var own = LedgerEntry.of(account: token, offer: "stay", limit: 3, at: fixture.now)
        #expect(try store.commit([own]) == [[.recorded]])
        #expect(try outcome("b", digest) == .recorded)
        #expect(try outcome("c", digest) == .signatureLimit(count: 3))
        // The account itself has got two of the three.
        own = LedgerEntry.of(account: token, offer: "stay", limit: 2, at: fixture.now)
        #expect(try store.commit([own]) == [[.signatureLimit(count: 2)]])
        #expect(try outcome("d", StorageTests.digest(9)) == .recorded)
    }
}
