import Foundation
import Offers
import Testing

@testable import Storage

@Suite("Limits in the ledger")
struct LedgerLimitTests {
    /// Commits of two services in turn, each with its requests and their outcomes; look-ups; and time that passes.
    private static let rules = TableRow.rows(
        """
        Within one request, too, the limit holds
            count=4 limit=3 → recorded recorded recorded limit:3
        Each form of an offer counts: both are signed where there is room for both
            forms=discount,jws limit=3 → recorded
            forms=discount,jws limit=3 → limit:2
            forms=jws limit=3 → recorded
            formats → discount jws jws
        A limit counts one customer, one offer, and no longer than its period
            limit=1 → recorded
            limit=1 → limit:1
            offer=other limit=1 → recorded
            account=reader-2 limit=1 → recorded
            after 2591999 s
            limit=1 → limit:1
            after 1 s
            limit=1 → recorded
        Among the requests of one commit, too, a limit counts customers and offers
            limit=1 | offer=other limit=1 | account=reader-2 limit=1 | limit=1 → \
        recorded | recorded | recorded | limit:1
        Without an account, the subscription is the customer
            account= limit=1 → recorded
            account= limit=1 → limit:1
            account= id=2000 limit=1 → recorded
        What was signed under one identifier of a subscription counts under the others, and in one commit
            account= id=2 limit=2 → recorded
            account= id=1 others=2 limit=2 | account= id=1 others=2 limit=2 → recorded | limit:2
            ask id=1 others=2 limit=2 → signed:2
        Accounts for which one identifier of a subscription was shown count for the others
            account=a id=2 most=2 → recorded
            account=b id=1 others=2 most=2 → recorded
            account=c id=1 others=2 most=2 → shared:2
            account=a id=1 others=2 most=2 → recorded
        A look-up, too, counts the accounts and the signatures of each identifier of a subscription
            account=a id=2 most=3 → recorded
            account=b id=2 most=3 → recorded
            account= id=2 most=3 → recorded
            ask account=c id=1 others=2 limit=2 → signed:0 shown:2
            ask account=c id=1 limit=2 → signed:0 shown:0
            ask id=1 others=2 limit=2 → signed:1
            ask id=1 limit=2 → signed:0
        A question beforehand gives the counts that refuse later
            account=a count=2 most=3 | account=b most=3 → recorded recorded | recorded
            ask account=a limit=5 → signed:2 shown:1 known
            ask account=c limit=5 → signed:0 shown:2
        The fourth order of one customer is not another customer's
            account=4711-1 customer=4711 most=3 → recorded
            account=4711-2 customer=4711 most=3 → recorded
            account=4711-3 customer=4711 most=3 → recorded
            account=4711-4 customer=4711 most=3 → recorded
            account=4711-5 customer=4711 limit=4 → limit:4
        One transaction serves three accounts within 30 days, and who had it before keeps it
            account=a most=3 | account=b most=3 | account=c most=3 → recorded | recorded | recorded
            account=d most=3 → shared:3
            account=a most=3 → recorded
            account=owner → recorded
            after 2591999 s
            account=d most=3 → shared:3
            after 1 s
            account=d most=3 → recorded
        Once a fourth account was refused, so is a request without an account, by every service, for 30 days
            account= most=3 | account= most=3 | account= most=3 | account= most=3 → \
        recorded | recorded | recorded | recorded
            account=a most=3 | account=b most=3 | account=c most=3 → recorded | recorded | recorded
            account= most=3 → recorded
            ask → -
            account=d most=3 | account= most=3 → shared:3 | shared:3
            account= most=3 → shared:3
            account= most=3 → shared:3
            ask → shown:3
            account= id=2000 others=1000 most=3 → shared:3
            account= id=2000 most=3 → recorded
            account=a most=3 → recorded
            account=e most=3 → shared:3
            account= → recorded
            after 2591999 s
            account=a most=3 | account=b most=3 | account=c most=3 → recorded | recorded | recorded
            account= most=3 → shared:3
            after 1 s
            account= most=3 → recorded
            account=d most=3 → shared:3
            account= most=3 → shared:3
        """
    )

    /// `most` is how many accounts may be shown one subscription; without it the evidence names the account.
    @Test("A limit holds", arguments: LedgerHome.allCases, rules)
    func rule(home: LedgerHome, row: TableRow) async throws {
        let fixture = try LedgerFixture(home)
        let stores = [try fixture.store(), try fixture.store()]
        for (number, step) in row.statements.enumerated() {
            if step.hasPrefix("after ") {
                fixture.advance(days: 0, seconds: try #require(Int64(step.split(separator: " ")[1])))
                continue
            }
            let sides = step.components(separatedBy: " → ")
            let found: String
            if sides[0] == "formats" {
                found = try fixture.records().map(\.format).sorted().joined(separator: " ")
            } else if sides[0].hasPrefix("ask") {
                let asked = Request(sides[0].dropFirst(3), at: fixture.now)
                found = asked.words(of: try await stores[number % 2].answer(to: asked.question))
            } else {
                let requests = sides[0].components(separatedBy: " | ").map { Request($0, at: fixture.now) }
                let outcomes = try stores[number % 2].commit(requests.map(\.entry))
                found = outcomes.map { $0.map(Request.word).joined(separator: " ") }.joined(separator: " | ")
            }
            #expect(found == sides[1], "\(step)")
        }
    }

    /// A request in words, such as `account=a id=1 others=2`.
    private struct Request {
        private let values: [Substring: Substring]
        private let time: Timestamp

        init(_ words: some StringProtocol, at time: Timestamp) {
            let pairs = String(words).split(separator: " ").map {
                $0.split(separator: "=", omittingEmptySubsequences: false)
            }
            values = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
            self.time = time
        }

        private func text(_ key: Substring) -> String? { values[key].map(String.init) }

        private func number(_ key: Substring) -> Int? { values[key].flatMap { Int($0) } }

        private func list(_ key: Substring) -> [String] { values[key]?.split(separator: ",").map(String.init) ?? [] }

        private var id: String { text("id") ?? "1000" }

        var entry: LedgerEntry {
            let forms = list("forms").compactMap(SignatureForm.init(rawValue:))
            return .of(
                account: text("account") ?? "reader-1",
                customer: text("customer"),
                offer: text("offer") ?? "comeback50",
                count: number("count") ?? 1,
                originalTransactionId: id,
                otherIds: list("others"),
                forms: forms.isEmpty ? [.discount] : forms,
                limit: number("limit"),
                maximumAccounts: number("most"),
                at: time
            )
        }

        var question: LedgerQuestion {
            let others = [id: list("others")]
            return .of(text("account"), limit: number("limit"), decidedBy: id, ids: [id], otherIds: others, at: time)
        }

        func words(of answer: LedgerAnswer) -> String {
            let signed = answer.signatures.values.map { "signed:\($0)" }
            let shown = answer.presentations[id].map { ["shown:\($0.others)"] + ($0.isKnown ? ["known"] : []) } ?? []
            return signed.isEmpty && shown.isEmpty ? "-" : (signed + shown).joined(separator: " ")
        }

        static func word(_ outcome: GrantOutcome) -> String {
            switch outcome {
            case .recorded: "recorded"
            case .signatureLimit(let count): "limit:\(count)"
            case .evidenceShared(let others): "shared:\(others)"
            case .answered: "answered"
            case .keyReused: "reused"
            }
        }
    }

    @Test(
        "Of 200 signatures at once, by two writers, a customer gets as many as the limit says",
        arguments: LedgerHome.allCases
    )
    func exact(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledgers = try (0..<2).map { _ in Journal(try fixture.store(), now: { fixture.now }) }
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

    @Test("What was refused is forgotten after its time, so that a commit notes the refusal anew")
    func suspicion() {
        for (lifetime, isKnown) in [(Duration.seconds(3600), true), (.zero, false)] {
            let shared = SuspectEvidence(lifetime: lifetime)
            let entry = LedgerEntry.of(maximumAccounts: 3, at: Timestamp(millisecondsSince1970: 0))
            shared.add([entry], [[.evidenceShared(others: 3)]])
            #expect(shared.contains(entry.subscriptions(of: entry.grants[0])[0]) == isKnown)
        }
    }

    @Test(
        "A refusal as shared is known from then on, and read on the spot where the database is a file",
        arguments: LedgerHome.allCases
    )
    func suspect(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledger = Journal(try fixture.store(), now: { fixture.now })
        for account in ["a", "b", "c"] {
            #expect(try await ledger.append(.of(account: account, maximumAccounts: 3, at: fixture.now)) == [.recorded])
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
}
