import Offers
import Testing

@Suite("Clients' observations")
struct ObservationLogTests {
    @Test("The newest value counts, and older ones that contradict it are kept")
    func contradiction() {
        var log = ObservationLog("9.99", at: day(-3))
        log.record("9.99", at: day(-2))
        log.record("10.99", at: day(-1))
        #expect(log.newest.value == "10.99")
        #expect(log.newest.count == 1)
        #expect(log.older.map(\.value) == ["9.99"])
        #expect(log.older.map(\.firstSeen) == [day(-3)])
        #expect(log.older.map(\.lastSeen) == [day(-2)])
        #expect(log.older.map(\.count) == [2])
        log.record("9.99", at: clock)
        #expect(log.newest.value == "9.99")
        #expect(log.newest.firstSeen == day(-3))
        #expect(log.newest.count == 3)
        #expect(log.older.map(\.value) == ["10.99"])
    }

    @Test("A count at the end of its range stays there")
    func countless() {
        let often = ObservationLog<Int>.Observation(value: 1, firstSeen: day(-1), lastSeen: clock, count: .max)
        var log = ObservationLog(newest: often, older: [])
        log.record(1, at: clock)
        #expect(log.newest.count == .max)
    }

    @Test("Few older values are kept, the newest of them")
    func bound() {
        var log = ObservationLog(0, at: clock)
        for value in 1...100 { log.record(value, at: clock) }
        #expect([log.newest.value] + log.older.map(\.value) == [100, 99, 98, 97, 96])
    }
}
