import Dispatch
import Offers
import Testing

@testable import Storage

@Suite("Observations of a customer that another process forgets before they are written")
struct ForgottenEvidenceTests {
    /// Held state that writes its observations of evidence when it is closed.
    private func open(_ fixture: LedgerFixture) throws -> DurableSubscriptionStates {
        DurableSubscriptionStates(try fixture.states(), bounds: .init(linger: .seconds(3600)), now: { clock })
    }

    @Test("Nothing is learnt of them from the same evidence; later evidence is kept", arguments: LedgerHome.allCases)
    func evidence(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try open(fixture)
        states.learn(seen(subscription("1")))
        #expect(try fixture.states().forget(digest(1)) == 0)
        states.close()
        #expect(try fixture.states().count() == 0)
        #expect(try await states.held(question(1)).isEmpty)
        let again = try open(fixture)
        again.learn(seen(subscription("1")))
        again.close()
        #expect(try fixture.states().count() == 1)
    }

    @Test("A notification, which is not sent again, is kept", arguments: LedgerHome.allCases)
    func notification(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try open(fixture)
        #expect(try fixture.states().forget(digest(1)) == 0)
        #expect(
            try await states.keep(StorageTests.notification("a"), seen(subscription("1")))
        )
        #expect(try fixture.states().count() == 1)
    }

    @Test("Once it has noticed, it learns again", arguments: LedgerHome.allCases)
    func noticed(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try open(fixture)
        #expect(try fixture.states().forget(digest(1)) == 0)
        states.learn(seen(subscription("1")))
        // With the first that is let go, too.
        states.close()
        states.learn(seen(subscription("2")))
        states.close()
        #expect(try fixture.states().count() >= 1)
    }
}
