import Testing

@testable import Storage

@Suite("Pauses between attempts")
struct BackoffTests {
    @Test("Pauses double up to the longest, half of each by chance, and a success makes them short again")
    func pauses() {
        var backoff = Backoff()
        let longest = (0..<8).map { _ in backoff.pause(chance: 1).milliseconds }
        #expect(longest == [100, 200, 400, 800, 1600, 2000, 2000, 2000])
        #expect(backoff.pause(chance: 0).milliseconds == 1000)
        backoff.reset()
        #expect(backoff.pause(chance: 0).milliseconds == 50)
    }

    @Test("After a year of failures the pause is still the longest")
    func manyFailures() {
        var backoff = Backoff()
        for _ in 0..<100_000 { _ = backoff.pause(chance: 1) }
        #expect(backoff.pause(chance: 1) == Backoff.longest)
    }
}
