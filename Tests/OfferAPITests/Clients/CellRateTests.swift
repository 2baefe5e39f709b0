import Testing

@testable import OfferAPI

@Suite("A rate over time")
struct CellRateTests {
    private let limit = CellRate.Limit(perSecond: 10, burst: 20)

    @Test("In the long run no more than the rate passes, however it is asked for", arguments: [1, 3, 7, 20, 50])
    func longRun(step: Int) {
        var rate = CellRate()
        var taken = 0
        for millisecond in 0..<60_000 where rate.acquire(step, within: limit, at: .milliseconds(millisecond)) == nil {
            taken += step
        }
        #expect(taken <= max(20, step) + 600)
        #expect(taken > 600 - step)
    }

    @Test("A new limit keeps the count of the old one")
    func change() {
        var rate = CellRate()
        #expect(rate.acquire(20, within: limit, at: .zero) == nil)
        #expect(rate.acquire(1, within: .init(perSecond: 1000, burst: 1000), at: .seconds(2)) == nil)
        #expect(rate.acquire(1, within: .init(perSecond: 1, burst: 1), at: .seconds(2)) != nil)
    }

    @Test("The remaining requests are exact at any rate")
    func remaining() {
        var wrong: [Int] = []
        for perSecond in 1...100_000 {
            let limit = CellRate.Limit(perSecond: perSecond, burst: perSecond)
            var rate = CellRate()
            let fresh = rate.remaining(within: limit, at: .zero)
            let isTaken = rate.acquire(1, within: limit, at: .zero) == nil
            let rest = rate.remaining(within: limit, at: .zero)
            if !isTaken || (fresh, rest) != (perSecond, perSecond - 1) { wrong.append(perSecond) }
        }
        #expect(wrong == [])
    }

    @Test("The highest rate that can be set is kept as well")
    func fast() {
        let limit = CellRate.Limit(perSecond: 1_000_000_000, burst: 1_000_000_000)
        var rate = CellRate()
        #expect(rate.acquire(1_000_000_000, within: limit, at: .zero) == nil)
        #expect(rate.acquire(1, within: limit, at: .zero) == .nanoseconds(1))
        #expect(rate.remaining(within: limit, at: .milliseconds(500)) == 500_000_000)
    }
}
