import Foundation
import Offers
import Testing

@testable import Storage

@Suite("Answers to clients' calls with an Idempotency-Key, kept with their records")
struct IdempotentAnswersTests {
    private static let account = "anna.schmidt@example.com"

    private func call(
        _ key: String = "k",
        _ request: UInt8 = 1,
        client: String = "backend",
        path: String = "/v1/signatures"
    ) -> AnsweredCall {
        .client(IdempotentCall(client: client, path: path, key: key, request: [UInt8](repeating: request, count: 32)))
    }

    /// An entry for offers with their limits, whose answer says which of them were recorded.
    private func entry(
        _ call: AnsweredCall,
        _ text: String,
        limits: [Int] = [3],
        account: String? = Self.account,
        at time: Timestamp
    ) -> LedgerEntry {
        let grants = limits.enumerated().map { index, limit in
            OfferGrant(
                offer: OfferRequest(productId: "monthly", offerId: "offer\(index)"),
                reason: Reason.active.rawValue,
                originalTransactionId: "1000",
                signatures: [.init(form: .discount, keyIdentifier: "KEY1234567", nonce: Nonce(), timestamp: time)],
                signatureLimit: SignatureLimit(maximumSignaturesPerCustomer: limit)
            )
        }
        return LedgerEntry(
            time: time,
            client: "backend",
            bundleId: "com.example.reader",
            environment: .production,
            evidence: nil,
            account: account.map { .applicationUsername($0) } ?? .none,
            customer: account,
            grants: grants,
            answer: KeptAnswer(call: call) { outcomes in Self.body(text, outcomes) }
        )
    }

    private static func body(_ text: String, _ outcomes: [GrantOutcome]) -> [UInt8] {
        Array("\(text) for \(account): \(outcomes.map { $0 == .recorded ? "signed" : "refused" })".utf8)
    }

    private func answered(_ text: String, _ outcomes: [GrantOutcome] = [.recorded]) -> GrantOutcome {
        .answered(Self.body(text, outcomes))
    }

    @Test(
        "The same call gets the first answer and one record, in one commit and in the next, at every service",
        arguments: LedgerHome.allCases
    )
    func once(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        let outcomes = try store.commit([
            entry(call(), "first", at: fixture.now), entry(call(), "second", at: fixture.now),
            entry(call("k", 2), "another request", at: fixture.now), entry(call("l"), "other", at: fixture.now),
        ])
        #expect(outcomes == [[.recorded], [answered("first")], [.keyReused], [.recorded]])
        let another = try fixture.store()
        #expect(try another.commit([entry(call(), "third", at: fixture.now)]) == [[answered("first")]])
        #expect(try another.commit([entry(call("k", 2), "third", at: fixture.now)]) == [[.keyReused]])
        #expect(try await another.storedAnswer(to: call(), at: fixture.now).value() == answered("first"))
        #expect(try await another.storedAnswer(to: call("k", 2), at: fixture.now).value() == .keyReused)
        for other in [call("K"), call(client: "backend2"), call(path: "/v1/introductory-eligibility-signatures")] {
            #expect(try await another.storedAnswer(to: other, at: fixture.now).value() == nil)
        }
        #expect(try fixture.records().count == 2)
    }

    @Test(
        "What a limit refuses is a part of the kept answer; refusals alone are decided anew",
        arguments: LedgerHome.allCases
    )
    func refusals(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        let refused = GrantOutcome.signatureLimit(count: 0)
        #expect(try store.commit([entry(call("r"), "x", limits: [0], at: fixture.now)]) == [[refused]])
        #expect(try await store.storedAnswer(to: call("r"), at: fixture.now).value() == nil)
        let mixed = entry(call(), "mixed", limits: [0, 1], at: fixture.now)
        #expect(try store.commit([mixed]) == [[refused, .recorded]])
        // By now the limit of the second one is reached, too.
        #expect(
            try store.commit([entry(call(), "y", limits: [0, 1], at: fixture.now)])
                == [[answered("mixed", [refused, .recorded])]]
        )
        #expect(try fixture.records().count == 1)
    }

    @Test("After an hour a call is a new one, and what was kept is deleted", arguments: LedgerHome.allCases)
    func hour(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([entry(call(), "first", at: fixture.now)])
        fixture.advance(days: 0, seconds: 3599)
        #expect(try await store.storedAnswer(to: call(), at: fixture.now).value() == answered("first"))
        fixture.advance(days: 0, seconds: 1)
        #expect(try await store.storedAnswer(to: call(), at: fixture.now).value() == nil)
        #expect(try store.commit([entry(call("k", 2), "second", at: fixture.now)]) == [[.recorded]])
        #expect(try await store.storedAnswer(to: call("k", 2), at: fixture.now).value() == answered("second"))
        fixture.advance(days: 0, seconds: 3601)
        #expect(try store.deleteAnswers(before: fixture.now.adding(seconds: -3600)) == 1)
        #expect(try fixture.rows("SELECT request_id FROM kept_answers").isEmpty)
    }

    @Test(
        "Who has the database has no answer and no account of it; and who changes a row, or moves it, has nothing signed",
        arguments: LedgerHome.allCases
    )
    func sealed(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([entry(call("a-key-of-7e3fb20b"), "first", at: fixture.now)])
        let database = try fixture.database()
        let cells = try database.read { session throws(StorageFailure) in
            try session.run("SELECT * FROM kept_answers").cells
        }
        let body = cells.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }.joined()
        let texts = cells.compactMap { if case .text(let text) = $0 { text } else { nil } }.joined()
        for text in ["first", Self.account, "7e3fb20b", "backend"] {
            #expect(!texts.contains(text))
            #expect(Data(body).range(of: Data(text.utf8)) == nil)
        }
        let other = try #require(DigestKey(bytes: Array(repeating: 8, count: 32)))
        let stranger = try fixture.store(digestKey: other)
        #expect(try await stranger.storedAnswer(to: call("a-key-of-7e3fb20b"), at: fixture.now).value() == nil)
        let later = fixture.now.adding(seconds: 60).millisecondsSince1970
        for change in ["answered_at = \(later)", "customer = NULL", "body = substr(body, 1, length(body) - 1)"] {
            try fixture.execute("CREATE TABLE kept AS SELECT * FROM kept_answers")
            try fixture.execute("UPDATE kept_answers SET \(change)")
            let step = store.storedAnswer(to: call("a-key-of-7e3fb20b"), at: fixture.now)
            await #expect(throws: StorageFailure(.malformed, "")) { try await step.value() }
            #expect(throws: StorageFailure(.malformed, "")) {
                try store.commit([entry(call("a-key-of-7e3fb20b"), "second", at: fixture.now)])
            }
            try fixture.execute(
                "DELETE FROM kept_answers",
                "INSERT INTO kept_answers SELECT * FROM kept",
                "DROP TABLE kept"
            )
        }
        #expect(
            try await store.storedAnswer(to: call("a-key-of-7e3fb20b"), at: fixture.now).value() == answered("first")
        )
        #expect(try fixture.records().count == 1)
    }

    @Test("With the customer, the answers to the customer's requests are forgotten", arguments: LedgerHome.allCases)
    func forgotten(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([
            entry(call("a"), "first", at: fixture.now), entry(call("b"), "second", at: fixture.now),
            entry(call("c"), "another's", account: "bob", at: fixture.now),
        ])
        _ = try fixture.states().erase(stored(Self.account))
        for key in ["a", "b"] {
            #expect(try await store.storedAnswer(to: call(key), at: fixture.now).value() == nil)
        }
        #expect(try await store.storedAnswer(to: call("c"), at: fixture.now).value() == answered("another's"))
        #expect(try fixture.records().count == 3)
    }

    @Test(
        "With a subscription, the answers to whoever had it are forgotten; with an account, those from before it was known",
        arguments: LedgerHome.allCases
    )
    func forgottenWithSubscription(home: LedgerHome) async throws {
        for isAccounts in [false, true] {
            let fixture = try LedgerFixture(home)
            let store = try fixture.store()
            let account = testDigestKey.digest(of: Self.account, bundleId: "com.example.reader")
            try fixture.states().learn(seen(subscription("1000", of: account)))
            _ = try store.commit([
                entry(call("a"), "the account's", at: fixture.now),
                entry(call("b"), "nobody's", account: nil, at: fixture.now),
                entry(call("c"), "another's", account: "bob", at: fixture.now),
            ])
            let app = App(bundleId: "com.example.reader", subscriptionGroups: [])
            let owner = StoredCustomer(originalTransactionId: "1000", of: app, by: testDigestKey)
            _ = try fixture.states().erase(isAccounts ? stored(Self.account) : owner)
            for (key, isKept) in [("a", false), ("b", false), ("c", true)] {
                let answer = try await store.storedAnswer(to: call(key), at: fixture.now).value()
                #expect((answer != nil) == isKept, "\(key)")
            }
        }
    }
}
