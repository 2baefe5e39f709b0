import Testing

@testable import OfferAPI

@Suite("How many requests may wait")
struct QueueLimitTests {
    /// Requests that come at a rate and are worked off one after the other, each in the same time.
    private struct Simulation {
        var queue = QueueLimit()
        var longestWait = Duration.zero
        var done = 0
        var refused = 0
        private var entered: [Duration] = []
        private var isFreeAt = Duration.zero

        mutating func run(_ range: Range<Int>, requestEvery gap: Int, work: Duration) {
            for microsecond in stride(from: range.lowerBound, to: range.upperBound, by: 10) {
                let now = Duration.microseconds(microsecond)
                if microsecond % gap == 0 {
                    if queue.enter() { entered.append(now) } else { refused += 1 }
                }
                while isFreeAt <= now, let first = entered.first {
                    entered.removeFirst()
                    queue.leave(after: now - first, at: now)
                    longestWait = max(longestWait, now - first)
                    isFreeAt = now + work
                    done += 1
                }
            }
        }
    }

    @Test("What can be worked off is let in, all of it")
    func unloaded() {
        var simulation = Simulation()
        simulation.run(0..<2_000_000, requestEvery: 200, work: .microseconds(100))
        #expect(simulation.refused == 0)
        #expect(simulation.done == 10_000)
    }

    @Test("At ten times the load the wait stays near its target, and nearly as much is done as can be")
    func overload() {
        var simulation = Simulation()
        simulation.run(0..<2_000_000, requestEvery: 100, work: .milliseconds(1))
        simulation.longestWait = .zero
        simulation.done = 0
        simulation.run(2_000_000..<4_000_000, requestEvery: 100, work: .milliseconds(1))
        #expect(simulation.longestWait < .milliseconds(15))
        #expect(simulation.done > 1900)
        #expect(simulation.refused > 17_000)
    }

    @Test("After the load there is room again for all")
    func recovery() {
        var simulation = Simulation()
        simulation.run(0..<2_000_000, requestEvery: 50, work: .milliseconds(1))
        simulation.run(2_000_000..<2_200_000, requestEvery: 10_000, work: .milliseconds(1))
        simulation.refused = 0
        simulation.run(2_200_000..<4_200_000, requestEvery: 2000, work: .milliseconds(1))
        #expect(simulation.refused == 0)
        #expect(simulation.queue.waiting <= 1)
    }

    @Test("A burst that is worked off at once is let in as a whole")
    func burst() {
        var queue = QueueLimit()
        #expect((0..<64).filter { _ in queue.enter() }.count == 64)
        for index in 0..<64 { queue.leave(after: .microseconds(index * 50), at: .microseconds(index * 50)) }
        #expect(queue.limit == 64)
    }

    @Test("The room never closes, however long the wait is")
    func smallest() {
        var queue = QueueLimit()
        for second in 1..<100 {
            let isLetIn = queue.enter()
            #expect(isLetIn)
            queue.leave(after: .seconds(10), at: .seconds(second))
        }
        #expect(queue.limit == 4)
    }

    @Test("Who has gone leaves the place to others")
    func abandon() {
        var queue = QueueLimit()
        let taken = (0..<64).filter { _ in queue.enter() }.count
        #expect(taken == 64)
        #expect(!queue.hasRoom)
        queue.abandon()
        #expect(queue.hasRoom)
    }
}
