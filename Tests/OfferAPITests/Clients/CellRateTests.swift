import Testing

@testable import OfferAPI

@Suite("A rate over time")
struct CellRateTests {
    private let limit = CellRate.Limit(perSecond: 10, burst: 20)

    @Test("A burst passes at once, the next waits its interval")
    func burst() {
        var rate = CellRate()
        let waits = (0..<21).map { _ in rate.take(1, within: limit, at: .zero) }
        #expect(waits == Array(repeating: nil, count: 20) + [.milliseconds(100)])
        #expect(rate.take(1, within: limit, at: .milliseconds(100)) == nil)
        #expect(rate.take(1, within: limit, at: .milliseconds(100)) == .milliseconds(100))
    }

    @Test("A number is taken as a whole or not at all")
    func whole() {
        var rate = CellRate()
        #expect(rate.take(15, within: limit, at: .zero) == nil)
        #expect(rate.take(6, within: limit, at: .zero) == .milliseconds(100))
        #expect(rate.remaining(within: limit, at: .zero) == 5)
        #expect(rate.take(5, within: limit, at: .zero) == nil)
        #expect(rate.remaining(within: limit, at: .zero) == 0)
        #expect(rate.backlog(at: .zero) == .seconds(2))
        #expect(rate.remaining(within: limit, at: .seconds(2)) == 20)
    }

    @Test("More than a burst passes when nothing is owed, and is worked off before anything else passes")
    func larger() {
        var rate = CellRate()
        #expect(rate.take(1, within: limit, at: .zero) == nil)
        #expect(rate.take(50, within: limit, at: .zero) == .milliseconds(100))
        #expect(rate.take(50, within: limit, at: .milliseconds(100)) == nil)
        #expect(rate.remaining(within: limit, at: .seconds(3)) == 0)
        #expect(rate.take(1, within: limit, at: .milliseconds(3100)) == .milliseconds(100))
        #expect(rate.take(1, within: limit, at: .milliseconds(3200)) == nil)
        #expect(rate.take(50, within: limit, at: .milliseconds(3200)) == .seconds(2))
    }

    @Test("In the long run no more than the rate passes, however it is asked for", arguments: [1, 3, 7, 20, 50])
    func longRun(step: Int) {
        var rate = CellRate()
        var taken = 0
        for millisecond in 0..<60_000 where rate.take(step, within: limit, at: .milliseconds(millisecond)) == nil {
            taken += step
        }
        #expect(taken <= max(20, step) + 600)
        #expect(taken > 600 - step)
    }

    @Test("A new limit keeps the count of the old one")
    func change() {
        var rate = CellRate()
        #expect(rate.take(20, within: limit, at: .zero) == nil)
        #expect(rate.take(1, within: .init(perSecond: 1000, burst: 1000), at: .seconds(2)) == nil)
        #expect(rate.take(1, within: .init(perSecond: 1, burst: 1), at: .seconds(2)) != nil)
    }

    @Test("The remaining requests are exact at any rate")
    func remaining() {
        var wrong: [Int] = []
        for perSecond in 1...100_000 {
            let limit = CellRate.Limit(perSecond: perSecond, burst: perSecond)
            var rate = CellRate()
            let fresh = rate.remaining(within: limit, at: .zero)
            let isTaken = rate.take(1, within: limit, at: .zero) == nil
            let rest = rate.remaining(within: limit, at: .zero)
            if !isTaken || (fresh, rest) != (perSecond, perSecond - 1) { wrong.append(perSecond) }
        }
        #expect(wrong == [])
    }

    @Test("The highest rate that can be set is kept as well")
    func fast() {
        let limit = CellRate.Limit(perSecond: 1_000_000_000, burst: 1_000_000_000)
        var rate = CellRate()
        #expect(rate.take(1_000_000_000, within: limit, at: .zero) == nil)
        #expect(rate.take(1, within: limit, at: .zero) == .nanoseconds(1))
        #expect(rate.remaining(within: limit, at: .milliseconds(500)) == 500_000_000)
    }
}
