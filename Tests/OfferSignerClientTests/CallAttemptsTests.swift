import Testing

@testable import OfferSignerClient

@Suite("The attempts of a call")
struct CallAttemptsTests {
    private static let refused = AttemptFault.refused(.cancelled, retryAfter: nil)

    private func attempts(_ policy: RetryPolicy = RetryPolicy(maximumAttempts: 9), _ repeats: Repeats = .always)
        -> CallAttempts
    {
        CallAttempts(policy: policy, repeats: repeats)
    }

    @Test("Pauses grow from 50 to 100 ms on, half of each by chance, and not beyond two seconds")
    func pauses() {
        var least = attempts()
        var most = attempts()
        let shortest = (1...7).map { _ in least.pause(after: Self.refused, at: .zero, chance: 0) }
        let longest = (1...7).map { _ in most.pause(after: Self.refused, at: .zero, chance: 1) }
        #expect(shortest == [50, 100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
        #expect(longest == [100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
    }

    @Test("Clients with the same moment to come back come at different ones, and none before it")
    func spread() {
        for fault in [
            AttemptFault.refused(.cancelled, retryAfter: .seconds(2)), .lost(.cancelled, retryAfter: .seconds(2)),
        ] {
            var (first, last) = (attempts(), attempts())
            #expect(first.pause(after: fault, at: .zero, chance: 0) == .seconds(2))
            #expect(last.pause(after: fault, at: .zero, chance: 1) == .milliseconds(2250))
        }
    }

    @Test("An attempt has its own time, and never more than is left of the deadline")
    func timeouts() {
        let attempts = attempts(RetryPolicy(deadline: .seconds(10), attemptTimeout: .seconds(7)))
        #expect(attempts.timeout(at: .zero) == .seconds(7))
        #expect(attempts.timeout(at: .seconds(8)) == .seconds(2))
        #expect(attempts.timeout(at: .seconds(11)) < .zero)
    }

    @Test("No pause is begun that leaves no time for an attempt")
    func deadline() {
        var attempts = attempts(RetryPolicy(deadline: .seconds(10)))
        #expect(attempts.pause(after: Self.refused, at: .milliseconds(9850), chance: 0) == nil)
        #expect(attempts.pause(after: Self.refused, at: .milliseconds(9800), chance: 0) == .milliseconds(50))
    }
}
