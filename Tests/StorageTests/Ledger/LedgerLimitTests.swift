import Foundation
import Offers
import Testing

@testable import Storage

@Suite("Limits in the ledger")
struct LedgerLimitTests {
    @Test(
        "Of 200 signatures at once, by two writers, a customer gets as many as the limit says",
        arguments: LedgerHome.allCases
    )
    func exact(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledgers = try (0..<2).map { _ in DurableLedger(try fixture.store(), now: { fixture.now }) }
        let outcomes = try await withThrowingTaskGroup(of: [GrantOutcome].self) { group in
            for index in 0..<200 {
                group.addTask { try await ledgers[index % 2].append(.of(limit: 5, at: fixture.now)) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.count { $0 == .recorded } == 5)
        #expect(outcomes.count { $0 == .signatureLimit(count: 5) } == 195)
        #expect(try fixture.records().count == 5)
        for ledger in ledgers { ledger.close() }
    }

    @Test(
        "What was signed under one identifier of a subscription counts under the others, without account and in one commit",
        arguments: LedgerHome.allCases
    )
    func severalIdentifiers(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        func entry(_ id: String, _ others: [String] = []) -> LedgerEntry {
            .of(account: "", originalTransactionId: id, otherIds: others, limit: 2, at: fixture.now)
        }
        #expect(try store.commit([entry("2")]) == [[.recorded]])
        #expect(
            try store.commit([entry("1", ["2"]), entry("1", ["2"])]) == [[.recorded], [.signatureLimit(count: 2)]]
        )
        let question = LedgerQuestion.of(nil, limit: 2, decidedBy: "1", otherIds: ["1": ["2"]], at: fixture.now)
        let answer = try store.answerAtOnce(to: question)
        if let answer { #expect(answer.signatures.values.first == 2) }
    }

    @Test(
        "Accounts for which one identifier of a subscription was shown count for the others",
        arguments: LedgerHome.allCases
    )
    func sharedIdentifiers(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        func outcome(_ account: String, _ id: String, _ others: [String] = []) throws -> GrantOutcome? {
            let entry = LedgerEntry.of(
                account: account,
                originalTransactionId: id,
                otherIds: others,
                maximumAccounts: 2,
                at: fixture.now
            )
            return try store.commit([entry]).first?.first
        }
        #expect(try outcome("a", "2") == .recorded)
        #expect(try outcome("b", "1", ["2"]) == .recorded)
        #expect(try outcome("c", "1", ["2"]) == .evidenceShared(others: 2))
        #expect(try outcome("a", "1", ["2"]) == .recorded)
    }

    @Test(
        "A look-up, too, counts the accounts and the signatures of each identifier of a subscription",
        arguments: LedgerHome.allCases
    )
    func lookUps(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        for account in ["a", "b", ""] {
            let entry = LedgerEntry.of(
                account: account,
                originalTransactionId: "2",
                maximumAccounts: 3,
                at: fixture.now
            )
            #expect(try store.commit([entry]) == [[.recorded]])
        }
        func answer(_ customer: String?, _ others: [String]) async throws -> LedgerAnswer {
            let otherIds = ["1": others]
            let question = LedgerQuestion.of(
                customer,
                limit: 2,
                decidedBy: "1",
                ids: ["1"],
                otherIds: otherIds,
                at: fixture.now
            )
            return try await store.answer(to: question)
        }
        #expect(try await answer("c", ["2"]).presentations["1"] == .init(others: 2, isKnown: false))
        #expect(try await answer("c", []).presentations["1"] == .init(others: 0, isKnown: false))
        #expect(try await answer(nil, ["2"]).signatures.values.first == 1)
        #expect(try await answer(nil, []).signatures.values.first == 0)
    }

    @Test("Within one request, too, the limit holds", arguments: LedgerHome.allCases)
    func oneRequest(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let outcomes = try fixture.store().commit([.of(count: 4, limit: 3, at: fixture.now)])
        #expect(outcomes == [[.recorded, .recorded, .recorded, .signatureLimit(count: 3)]])
    }

    @Test("Each form of an offer counts: both are signed where there is room for both", arguments: LedgerHome.allCases)
    func forms(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        let both = LedgerEntry.of(forms: [.discount, .jws], limit: 3, at: fixture.now)
        #expect(try store.commit([both]) == [[.recorded]])
        #expect(try store.commit([both]) == [[.signatureLimit(count: 2)]])
        #expect(try store.commit([.of(forms: [.jws], limit: 3, at: fixture.now)]) == [[.recorded]])
        #expect(try fixture.records().map(\.format) == ["discount", "jws", "jws"])
    }

    @Test("Among many requests of one commit, too, limits count customers and offers", arguments: LedgerHome.allCases)
    func oneCommit(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let entries = (0..<60).map { index in
            LedgerEntry.of(
                account: "reader-\(index % 10)",
                offer: index % 20 < 10 ? "comeback50" : "other",
                limit: 2,
                at: fixture.now
            )
        }
        let outcomes = try fixture.store().commit(entries)
        #expect(outcomes.prefix(40).allSatisfy { $0 == [.recorded] })
        #expect(outcomes.dropFirst(40).allSatisfy { $0 == [.signatureLimit(count: 2)] })
        #expect(try fixture.verify().records == 40)
    }

    @Test("A limit counts one customer, one offer, and no longer than its period", arguments: LedgerHome.allCases)
    func scope(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        func outcome(_ entry: LedgerEntry) throws -> GrantOutcome? { try store.commit([entry]).first?.first }
        #expect(try outcome(.of(limit: 1, at: fixture.now)) == .recorded)
        #expect(try outcome(.of(limit: 1, at: fixture.now)) == .signatureLimit(count: 1))
        #expect(try outcome(.of(offer: "other", limit: 1, at: fixture.now)) == .recorded)
        #expect(try outcome(.of(account: "reader-2", limit: 1, at: fixture.now)) == .recorded)
        fixture.advance(days: 30, seconds: -1)
        #expect(try outcome(.of(limit: 1, at: fixture.now)) == .signatureLimit(count: 1))
        fixture.advance(days: 0, seconds: 1)
        #expect(try outcome(.of(limit: 1, at: fixture.now)) == .recorded)
    }

    @Test("The fourth order of one customer is not another customer's", arguments: LedgerHome.allCases)
    func customer(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        for order in 1...6 {
            let entry = LedgerEntry.of(account: "4711-\(order)", customer: "4711", maximumAccounts: 3, at: fixture.now)
            #expect(try store.commit([entry]) == [[.recorded]])
        }
        let limited = LedgerEntry.of(account: "4711-7", customer: "4711", limit: 6, at: fixture.now)
        #expect(try store.commit([limited]) == [[.signatureLimit(count: 6)]])
    }

    @Test(
        "One transaction serves three accounts within 30 days, and who had it before keeps it",
        arguments: LedgerHome.allCases
    )
    func shared(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        func outcome(_ account: String, maximum: Int? = 3) throws -> GrantOutcome? {
            try store.commit([.of(account: account, maximumAccounts: maximum, at: fixture.now)]).first?.first
        }
        for account in ["a", "b", "c"] { #expect(try outcome(account) == .recorded) }
        #expect(try outcome("d") == .evidenceShared(others: 3))
        #expect(try outcome("a") == .recorded)
        // The account that the evidence itself names is not counted.
        #expect(try outcome("owner", maximum: nil) == .recorded)
        fixture.advance(days: 30, seconds: -1)
        #expect(try outcome("d") == .evidenceShared(others: 3))
        fixture.advance(days: 0, seconds: 1)
        #expect(try outcome("d") == .recorded)
    }

    @Test(
        "Once a fourth account was refused, so is a request without an account, by every service, for 30 days",
        arguments: LedgerHome.allCases
    )
    func anonymous(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let stores = [try fixture.store(), try fixture.store()]
        func entry(_ account: String, _ id: String = "1000", _ others: [String] = [], maximum: Int? = 3) -> LedgerEntry
        {
            .of(
                account: account,
                originalTransactionId: id,
                otherIds: others,
                maximumAccounts: maximum,
                at: fixture.now
            )
        }
        func outcome(_ entry: LedgerEntry) throws -> GrantOutcome? { try stores[1].commit([entry]).first?.first }
        func presentations() async throws -> LedgerAnswer.Presentations? {
            try await stores[1].answer(to: .of(nil, ids: ["1000"], at: fixture.now)).presentations["1000"]
        }
        // They are no accounts themselves, and three accounts are not too many.
        for _ in 0..<5 { #expect(try outcome(entry("")) == .recorded) }
        for account in ["a", "b", "c"] { #expect(try outcome(entry(account)) == .recorded) }
        #expect(try outcome(entry("")) == .recorded)
        #expect(try await presentations() == nil)

        let refused = GrantOutcome.evidenceShared(others: 3)
        #expect(try stores[0].commit([entry("d"), entry("")]) == [[refused], [refused]])
        #expect(try outcome(entry("")) == refused)
        #expect(try await presentations() == .init(others: 3, isKnown: false))
        #expect(try outcome(entry("", "2000", ["1000"])) == refused)
        #expect(try outcome(entry("", "2000")) == .recorded)
        #expect(try outcome(entry("a")) == .recorded)
        #expect(try outcome(entry("e")) == refused)
        // The account that the evidence names, and Apple's own call.
        #expect(try outcome(entry("", maximum: nil)) == .recorded)

        fixture.advance(days: 30, seconds: -1)
        for account in ["a", "b", "c"] { #expect(try outcome(entry(account)) == .recorded) }
        #expect(try outcome(entry("")) == refused)
        fixture.advance(days: 0, seconds: 1)
        #expect(try outcome(entry("")) == .recorded)
        #expect(try outcome(entry("d")) == refused)
        #expect(try outcome(entry("")) == refused)
    }

    @Test("What was refused is forgotten after its time, so that a commit notes the refusal anew")
    func suspicion() {
        for (lifetime, isKnown) in [(Duration.seconds(3600), true), (.zero, false)] {
            let shared = SharedEvidence(lifetime: lifetime)
            let entry = LedgerEntry.of(maximumAccounts: 3, at: Timestamp(millisecondsSince1970: 0))
            shared.note([entry], [[.evidenceShared(others: 3)]])
            #expect(shared.contains(entry.subscriptions(of: entry.grants[0])[0]) == isKnown)
        }
    }

    @Test("Thousands of accounts for one transaction: all but three are refused", arguments: LedgerHome.allCases)
    func replayed(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let entries = (0..<2000).map { LedgerEntry.of(account: "\($0)", maximumAccounts: 3, at: fixture.now) }
        let outcomes = try fixture.store().commit(entries).flatMap(\.self)
        #expect(outcomes.count { $0 == .recorded } == 3)
    }

    @Test("A question beforehand gives the counts that refuse later", arguments: LedgerHome.allCases)
    func answer(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([
            .of(account: "a", count: 2, maximumAccounts: 3, at: fixture.now),
            .of(account: "b", maximumAccounts: 3, at: fixture.now),
        ])
        let offer = OfferRequest(productId: "monthly", offerId: "comeback50")
        func answer(of customer: String) async throws -> LedgerAnswer {
            try await store.answer(to: .of(customer, limit: 5, ids: ["1000"], at: fixture.now))
        }
        #expect(
            try await answer(of: "a")
                == LedgerAnswer(signatures: [offer: 2], presentations: ["1000": .init(others: 1, isKnown: true)])
        )
        #expect(
            try await answer(of: "c")
                == LedgerAnswer(signatures: [offer: 0], presentations: ["1000": .init(others: 2, isKnown: false)])
        )
    }

    @Test(
        "A refusal as shared is known from then on, and read on the spot where the database is a file",
        arguments: LedgerHome.allCases
    )
    func suspect(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledger = DurableLedger(try fixture.store(), now: { fixture.now })
        for account in ["a", "b", "c"] {
            #expect(
                try await ledger.append(.of(account: account, maximumAccounts: 3, at: fixture.now)) == [.recorded]
            )
        }
        #expect(!ledger.isSuspect(identity("1000")))
        let refused = try await ledger.append(.of(account: "d", maximumAccounts: 3, at: fixture.now))
        #expect(refused == [.evidenceShared(others: 3)])
        #expect(ledger.isSuspect(identity("1000")))
        #expect(!ledger.isSuspect(identity("1001")))
        #expect(!ledger.isSuspect(identity("1000", "com.example.other")))
        for (customer, isKnown) in [("a", true), ("e", false)] {
            let question = LedgerQuestion.of(customer, ids: ["1000"], at: fixture.now)
            let expected = LedgerAnswer(presentations: ["1000": .init(others: isKnown ? 2 : 3, isKnown: isKnown)])
            #expect(ledger.answerAtHand(to: question) == (home == .sqlite ? expected : nil))
            #expect(try await ledger.answer(to: question) == expected)
        }
        ledger.close()
    }

    @Test("Without an account, the subscription is the customer", arguments: LedgerHome.allCases)
    func noAccount(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        func outcome(_ id: String) throws -> GrantOutcome? {
            try store.commit([.of(account: "", originalTransactionId: id, limit: 1, at: fixture.now)]).first?.first
        }
        #expect(try outcome("1000") == .recorded)
        #expect(try outcome("1000") == .signatureLimit(count: 1))
        #expect(try outcome("2000") == .recorded)
    }
}
