import Offers
import Testing

@Suite("Evidence that was seen before")
struct EvidenceComparisonTests {
    /// Evidence as it comes to the service.
    private struct Arrival {
        var history: SubscriptionHistory
        var source: StateSource
        var account: Account
        var customer: String?
        var moment: Timestamp

        var lesson: StateLesson {
            StateLesson(
                history,
                from: source,
                presentedFor: account,
                customer: customer,
                digester: TestDigester(),
                learntAt: moment
            )
        }

        func isKnown(to state: HeldState) -> Bool {
            state.knows(
                history,
                from: source,
                presentedFor: account.view,
                customer: customer,
                digester: TestDigester(),
                at: moment
            )
        }
    }

    private func arrival(using random: inout SeededGenerator) -> Arrival {
        let source = StateSource.allCases.randomElement(using: &random) ?? .client
        let told = day(Double(Int.random(in: -1...0, using: &random)))
        var transactions: [Transaction] = []
        var entries: [RenewalInfo] = []
        for id in ["1", "2", "3"] where Bool.random(using: &random) {
            for number in 0..<Int.random(in: 0...2, using: &random) {
                var transaction = bought(
                    id,
                    on: Double(number * 30 - 200),
                    until: Double(number * 30 - 170),
                    refunded: Int.random(in: 0..<6, using: &random) == 0 ? -5 : nil,
                    by: [nil, nil, Account.alice, .bob].randomElement(using: &random)??.payloadField,
                    under: number % 2 == 0 ? .promotional("once") : nil,
                    called: "\(id).\(number)"
                )
                if source == .signed { transaction.signedDate = told }
                if Int.random(in: 0..<8, using: &random) == 0 { transaction.expiresDate = nil }
                transactions.append(transaction)
            }
            guard Int.random(in: 0..<4, using: &random) > 0 else { continue }
            var renewal = entry(id, renews: Int.random(in: 0..<4, using: &random) > 0)
            if source == .signed { renewal.signedDate = told }
            entries.append(renewal)
        }
        return Arrival(
            history: history(
                Int.random(in: 0..<6, using: &random) == 0 ? nil : entries,
                transactions,
                asOf: told,
                coverage: source == .signed ? .partial : .complete
            ),
            source: source,
            account: [.none, .alice, .bob, .applicationUsername("carol")].randomElement(using: &random) ?? .none,
            customer: Int.random(in: 0..<4, using: &random) == 0 ? "patron" : nil,
            moment: clock
        )
    }

    /// What counts of what is held: moments within an hour do not.
    private func essence(_ state: HeldState) -> [String: [String]] {
        var essence: [String: [String]] = [:]
        for held in state.subscriptions {
            essence[held.identity.originalTransactionId] = [
                held.transactions.sorted { $0.key < $1.key }.map { "\($0)" }.joined(), "\(held.renewal as Any)",
                held.accounts.map { "\($0.key.bytes) \($0.value == .bought)" }.sorted().joined(),
                held.customers.map { "\($0.key.bytes) \($0.value.bytes)" }.sorted().joined(),
            ]
        }
        essence["marks"] = state.marks.map { "\($0.account.bytes) \($0.told)" }.sorted()
        return essence
    }

    @Test("What is said to be known would teach nothing")
    func nothingNew() {
        var knownCount = 0
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let arrivals = (0..<4).map { _ in arrival(using: &random) }
            // Held is what is asked for with an account: the marks of that one.
            for arrival in arrivals + [self.arrival(using: &random)] {
                var state = held(arrivals.map(\.lesson))
                state.marks.removeAll { $0.account != arrival.account.view.digest }
                guard arrival.isKnown(to: state) else { continue }
                knownCount += 1
                var after = held(arrivals.map(\.lesson) + [arrival.lesson])
                after.marks.removeAll { $0.account != arrival.account.view.digest }
                #expect(essence(after) == essence(state), "seed \(seed)")
            }
        }
        #expect(knownCount > 200)
    }

    @Test("The same evidence for the same account is known for an hour")
    func same() {
        let transactions = [bought(by: Account.alice.payloadField, called: "1.1"), bought(on: -40, called: "1.0")]
        let first = Arrival(
            history: history([entry()], transactions, asOf: clock),
            source: .client,
            account: .alice,
            customer: "patron",
            moment: clock
        )
        let state = held([first.lesson])
        func isKnown(_ change: (inout Arrival) -> Void) -> Bool {
            var arrival = first
            change(&arrival)
            return arrival.isKnown(to: state)
        }
        #expect(isKnown { _ in })
        #expect(isKnown { $0.moment = clock.adding(seconds: 3600) })
        #expect(!isKnown { $0.moment = clock.adding(seconds: 3601) })
        #expect(!isKnown { $0.history.transactions[0].revocationDate = clock })
        #expect(!isKnown { $0.history.transactions[1].offer = .promotional("once") })
        #expect(!isKnown { $0.history.transactions.append(bought(called: "1.2")) })
        #expect(!isKnown { $0.history.transactions.append(bought("2", called: "2.1")) })
        #expect(!isKnown { $0.history.transactions[0].appAccountToken = AppAccountToken(Account.bob.payloadField) })
        #expect(!isKnown { $0.history.renewals = [entry(renews: false)] })
        #expect(!isKnown { $0.history.renewals = [] })
        #expect(!isKnown { $0.history.asOf = clock.adding(seconds: 1) })
        #expect(!isKnown { $0.source = .fetched })
        #expect(!isKnown { $0.customer = "another" })
        #expect(!HeldState().knowsAnything(of: first.history))
    }

    @Test("Of another account it is known where the purchases name accounts, and new where they name none")
    func presenters() {
        let named = history([entry()], [bought(by: Account.alice.payloadField)], asOf: clock)
        let unnamed = history([entry()], [bought()], asOf: clock)
        for (history, isKnown) in [(named, true), (unnamed, false)] {
            let ofAlice = Arrival(history: history, source: .client, account: .alice, moment: clock)
            var ofBob = ofAlice
            ofBob.account = .bob
            #expect(ofBob.isKnown(to: held([ofAlice.lesson])) == isKnown)
        }
    }
}

extension HeldState {
    fileprivate func knowsAnything(of history: SubscriptionHistory) -> Bool {
        knows(history, from: .client, presentedFor: Account.alice.view, digester: TestDigester(), at: clock)
    }
}
