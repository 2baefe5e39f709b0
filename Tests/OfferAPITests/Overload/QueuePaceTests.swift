import Testing

@testable import OfferAPI

@Suite("How fast a queue moves")
struct QueuePaceTests {
    /// A queue that is never empty, from which so many requests leave together.
    private struct Busy {
        var pace = QueuePace()
        private var now: UInt64 = 0

        init() { pace.begin(at: 0) }

        /// Times in microseconds.
        mutating func leave(_ count: Int, after time: UInt64, times: Int = 1) {
            for _ in 0..<times {
                now += time * 1000
                // Each is answered some microseconds after the one before.
                for index in 0..<count { pace.leave(at: now + UInt64(index) * 5000, isEmpty: false) }
            }
        }
    }

    @Test("Requests that leave together have each taken their part of the time between", arguments: [1, 7, 100])
    func together(count: Int) {
        var busy = Busy()
        busy.leave(count, after: UInt64(count) * 100, times: 10_000 / count)
        #expect(abs(busy.pace.time - 100_000) < 10_000)
    }

    @Test("A slow queue is known to be slow within two hundred milliseconds")
    func slow() {
        var busy = Busy()
        busy.leave(1, after: 5000, times: 40)
        #expect(busy.pace.time == 5_000_000)
    }

    @Test("A stall does not make the queue slow", arguments: [100_000, 2_000_000] as [UInt64])
    func stall(time: UInt64) {
        var busy = Busy()
        busy.leave(100, after: 10_000, times: 20)
        let before = busy.pace.time
        busy.leave(100, after: time)
        #expect(busy.pace.time == before)
        busy.leave(100, after: 10_000, times: 2)
        #expect(busy.pace.time == before)
    }

    @Test("What one request takes by itself is not the pace")
    func alone() {
        var pace = QueuePace()
        for index in 0..<1000 {
            let now = UInt64(index) * 100_000_000
            pace.begin(at: now)
            pace.leave(at: now + 50_000_000, isEmpty: true)
        }
        #expect(pace.time == QueuePace.unknown)
    }

    @Test("A queue that is empty after all have left together tells their pace")
    func emptied() {
        var pace = QueuePace()
        for index in 0..<10 {
            let now = UInt64(index) * 10_000_000
            pace.begin(at: now)
            for place in 1...100 { pace.leave(at: now + 10_000_000, isEmpty: place == 100) }
        }
        #expect(pace.time == 100_000)
    }

    @Test("Two who look at the clock in one order and come in the other do no harm")
    func disorder() {
        var pace = QueuePace()
        pace.begin(at: 1000)
        for place in 1...16 { pace.leave(at: 500, isEmpty: place == 16) }
        #expect(pace.time > 0)
    }
}
