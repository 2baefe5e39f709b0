import Offers
import Testing

@Suite("Held state of an account with too many subscriptions")
struct HeldBoundTests {
    private let most = Book.mostOfAccount
    private let token = Account.alice.payloadField

    /// A complete history of subscriptions, each bought an hour before the last.
    private func many(_ count: Int) -> Shown {
        history(
            (0..<count).map { entry("\($0)") },
            (0..<count).map { bought("\($0)", on: -Double($0) / 24, until: 40, by: token, called: "t\($0)") }
        )
    }

    private func ids(_ chapters: [Chapter]) -> Set<String> { Set(chapters.map(\.identity.originalTransactionId)) }

    @Test("Of one history the newest subscriptions are learnt, the same ones in any order")
    func learnt() {
        var history = many(most + 30)
        // Of one nobody knows when it was bought: it is among the oldest.
        history.renewals?.append(entry("unknown"))
        for _ in 0..<5 {
            history.transactions.shuffle()
            history.renewals?.shuffle()
            let observation = observation(history, for: .alice)
            #expect(observation.chapters.count == most)
            #expect(ids(observation.chapters) == Set((0..<most).map { "\($0)" }))
        }
    }

    @Test("A history that was cut does not say that these are all subscriptions of the account")
    func mark() {
        #expect(observation(many(most), for: .alice).marks.first != nil)
        #expect(observation(many(most + 1), for: .alice).marks.first == nil)
        let state = held([observation(many(most + 1), for: .alice)])
        let known = Book(held: state, of: exampleApp(), for: Account.alice.view)
        #expect(known?.listing?.coverage == .partial)
    }

    @Test("Evidence of too many subscriptions decides by all of them, also beside what is held of it")
    func evidence() {
        let evidence = many(most + 100)
        let updated = evidence.joined(with: held([observation(evidence, for: .alice)]), for: Account.alice.view)
        #expect(updated.chapters.map(\.transactions) == evidence.book.chapters.map(\.transactions))
        #expect(updated.chapters.map(\.renewal) == evidence.book.chapters.map(\.renewal))
        #expect(updated.listing == evidence.book.listing)
    }

    @Test("The first by their identifiers are left out, but for what the question names, and then no mark counts")
    func leftOut() throws {
        let alice = try #require(Account.alice.view.digest)
        func id(_ number: Int) -> String { "\(2_000_000_000_000_000 - number)" }
        /// What is held of so many subscriptions, each begun before the last, and of one of another account.
        func state(_ count: Int) -> Book {
            let observations = (0..<count).map { number in
                observation(
                    history([entry(id(number))], [bought(id(number), by: token, called: "t")], coverage: .partial)
                )
            }
            let other = observation(history([entry("other")], [bought("other")], coverage: .partial))
            return held((observations + [other, observation(history([]), for: .alice)]).shuffled())
        }
        func question(_ ids: String...) -> StateQuestion {
            let identities = ids.map { identity($0) }
            return StateQuestion(bundleId: "com.example.reader", account: alice, subscriptions: identities)
        }
        var few = state(most)
        let before = few
        few.leaveOut(beyond: question("other"))
        #expect(few == before)
        #expect(few.marks.count == 1)
        var many = state(most + 20)
        many.leaveOut(beyond: question("other", id(most + 3)))
        #expect(ids(many.chapters) == Set((0..<most).map(id) + ["other", id(most + 3)]))
        #expect(many.marks.isEmpty)
        var nobodys = state(most + 20)
        nobodys.leaveOut(beyond: StateQuestion(bundleId: "com.example.reader", account: nil))
        #expect(nobodys.chapters.count == most + 21)
    }
}
