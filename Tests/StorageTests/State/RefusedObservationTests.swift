import Offers
import Testing

@testable import Storage

@Suite("Observations that the database refuses", .timeLimit(.minutes(30)))
struct RefusedObservationTests {
    private let refused = RefusedValue.transaction

    private func open(_ fixture: LedgerFixture) throws -> DurableSubscriptionStates {
        RefusedValue.refuse(in: fixture, "held_subscriptions")
        return DurableSubscriptionStates(try fixture.states(), now: { clock })
    }

    @Test(
        "One of them is dropped and reported; the others are kept, and notifications are",
        arguments: LedgerHome.allCases
    )
    func dropped(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try open(fixture)
        #expect(states.warning == nil)
        for id in ["1", "2", refused, "3", "4", "5"] {
            states.learn(seen(subscription(id)))
        }
        #expect(try await states.keep(notification("a"), seen(subscription("6"))))
        #expect(states.fault == nil)
        #expect(states.warning?.contains("state: observations that could not be kept: 1;") == true)
        #expect(states.warning?.contains(refused) == false)
        // A dropped observation is not answered from memory, either.
        let ids = try await states.held(question(1)).subscriptions.map(\.identity.originalTransactionId)
        #expect(Set(ids) == ["1", "2", "3", "4", "5", "6"])
        states.close()
        #expect(try fixture.rows("SELECT count(*) FROM held_subscriptions") == ["6"])
    }

    @Test("A notification that is refused is not confirmed; those beside it are", arguments: LedgerHome.allCases)
    func notifications(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try open(fixture)
        let kept = await withTaskGroup(of: (Int, Bool).self) { tasks in
            for number in 0..<20 {
                let observation = seen(subscription(number == 7 ? refused : "\(number)"))
                tasks.addTask { (number, (try? await states.keep(notification("\(number)"), observation)) == true) }
            }
            return await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (number, isKept) in kept { #expect(isKept == (number != 7)) }
        #expect(states.fault == nil)
        states.close()
        #expect(try fixture.rows("SELECT count(*) FROM held_subscriptions") == ["19"])
        #expect(try fixture.rows("SELECT count(*) FROM notifications") == ["19"])
    }
}
