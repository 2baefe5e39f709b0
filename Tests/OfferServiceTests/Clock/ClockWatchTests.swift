import OfferService
import Offers
import Testing

@Suite("The watch over the clock")
struct ClockWatchTests {
    /// 2026-11-21, and a machine that has run for a day.
    private let start = Self.reading(wall: 0, uptime: 0)

    private static func timestamp(_ seconds: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_795_262_400_000 + seconds * 1000)
    }

    private static func reading(wall: Int64, uptime: Int64) -> ClockReading {
        ClockReading(wall: timestamp(wall), uptimeMilliseconds: 86_400_000 + uptime * 1000)
    }

    @Test("Time that passes is no fault, nor is a correction of five minutes")
    func inOrder() {
        var watch = ClockWatch(start)
        for seconds in [0, 1, 60, 3600, 86_400, 400_000] as [Int64] {
            #expect(watch.judge(Self.reading(wall: seconds, uptime: seconds)) == nil)
        }
        #expect(watch.judge(Self.reading(wall: 400_300, uptime: 400_000)) == nil)
        #expect(watch.judge(Self.reading(wall: 399_700, uptime: 400_000)) == nil)
    }

    @Test("A jump is a fault until the clock has come back", arguments: [301, 86_400, -301, -86_400] as [Int64])
    func jump(by seconds: Int64) {
        var watch = ClockWatch(start)
        let fault = ClockFault.jumped(milliseconds: seconds * 1000)
        #expect(watch.judge(Self.reading(wall: 10 + seconds, uptime: 10)) == fault)
        #expect(
            watch.judge(Self.reading(wall: 100_000 + seconds, uptime: 100_000)) == fault,
            "it does not get used to it"
        )
        #expect(watch.judge(Self.reading(wall: 100_010, uptime: 100_010)) == nil)
    }

    @Test("Small steps count as a jump within an hour, not over months")
    func steps() {
        var quick = ClockWatch(start)
        #expect(quick.judge(Self.reading(wall: 700, uptime: 500)) == nil)
        #expect(quick.judge(Self.reading(wall: 1_400, uptime: 1_000)) == .jumped(milliseconds: 400_000))
        var slow = ClockWatch(start)
        for month in 1...20 as ClosedRange<Int64> {
            #expect(slow.judge(Self.reading(wall: month * 2_592_100, uptime: month * 2_592_000)) == nil)
        }
    }

    @Test("Apple's clock, or an operator, can answer for the clock after a jump")
    func confirmation() {
        let jumped = Self.reading(wall: 5_000, uptime: 10)
        var byApple = ClockWatch(start)
        #expect(byApple.judge(jumped) != nil)
        byApple.observe(.signed(Self.timestamp(5_000)), at: jumped)
        #expect(byApple.judge(jumped) != nil, "what was signed may be older")
        byApple.observe(.fetched(Self.timestamp(4_990)), at: jumped)
        #expect(byApple.judge(jumped) == nil)
        var unread = ClockWatch(start)
        unread.observe(.fetched(Self.timestamp(4_990)), at: jumped)
        #expect(unread.judge(Self.reading(wall: 5_601, uptime: 611)) == nil, "also when the answer is forgotten")
        var byOperator = ClockWatch(start)
        byOperator.believe(jumped)
        #expect(byOperator.judge(jumped) == nil)
        #expect(byOperator.judge(Self.reading(wall: 20, uptime: 20)) == .jumped(milliseconds: -4_990_000))
    }

    @Test(
        "A clock behind Apple's signatures is a fault, which ends when it is right, after ten minutes, or by a reload"
    )
    func behind() {
        var watch = ClockWatch(start)
        watch.observe(.signed(Self.timestamp(301)), at: start)
        let fault = ClockFault.behindApple(milliseconds: 301_000)
        #expect(watch.judge(start) == fault)
        #expect(watch.judge(Self.reading(wall: 600, uptime: 600)) == fault, "Apple's clock goes on, too")
        #expect(watch.judge(Self.reading(wall: 611, uptime: 610)) == nil)
        watch.observe(.signed(Self.timestamp(301)), at: start)
        watch.believe(start)
        #expect(watch.judge(start) == nil)
    }

    @Test("An answer of Apple's outranks what Apple signed: a server that is ahead signs ahead, too")
    func rank() {
        var watch = ClockWatch(start)
        watch.observe(.fetched(Self.timestamp(600)), at: start)
        watch.observe(.signed(Self.timestamp(600)), at: start)
        watch.observe(.signed(Self.timestamp(599)), at: start)
        #expect(watch.judge(start) == nil, "all of it may be of one answer")
        #expect(watch.suspicion(start) == .behindApple(milliseconds: 600_000))
        watch.observe(.fetched(Self.timestamp(0)), at: start)
        watch.observe(.signed(Self.timestamp(600)), at: start)
        #expect(watch.judge(start) == nil)
    }

    @Test("Old signed data says nothing of the clock, and data within the tolerance is fine")
    func oldData() {
        var watch = ClockWatch(start)
        for age in [-300, 0, 60, 86_400, 31_536_000] as [Int64] {
            watch.observe(.signed(Self.timestamp(-age)), at: start)
            #expect(watch.judge(start) == nil)
            var fresh = ClockWatch(start)
            fresh.observe(.signed(Self.timestamp(-age)), at: start)
            #expect(fresh.judge(start) == nil, "nothing newer was signed")
        }
    }

    @Test(
        "Two answers that agree show a clock that is ahead or behind, and a right one ends it",
        arguments: [-3600, 3600]
    )
    func twoAnswers(seconds: Int64) throws {
        let fault: ClockFault =
            seconds < 0 ? .aheadOfApple(milliseconds: 3_600_000) : .behindApple(milliseconds: 3_600_000)
        var watch = ClockWatch(start)
        watch.observe(.fetched(Self.timestamp(seconds)), at: start)
        #expect(watch.judge(start) == nil)
        let doubt = try #require(watch.doubt, "Apple is asked again")
        watch.observe(.fetched(Self.timestamp(seconds), about: doubt), at: start)
        #expect(watch.judge(start) == fault)
        #expect(watch.doubt == nil)
        watch.observe(.fetched(Self.timestamp(0)), at: start)
        #expect(watch.judge(start) == nil)
        watch.observe(.fetched(Self.timestamp(seconds)), at: start)
        #expect(watch.judge(start) == nil, "a right answer ended what was known")
    }

    @Test(
        "No second answer: of another time, of the same server, to a question before the doubt, or with a right one between"
    )
    func noSecondAnswer() throws {
        var watch = ClockWatch(start)
        watch.observe(.fetched(Self.timestamp(600)), at: start)
        let doubt = try #require(watch.doubt)
        watch.observe(.fetched(Self.timestamp(600)), at: start)
        #expect(watch.judge(start) == nil, "it may be of the connection of the first")
        watch.observe(.fetched(Self.timestamp(-600), about: doubt), at: start)
        #expect(watch.judge(start) == nil, "it is of another time")
        watch.observe(.fetched(Self.timestamp(-600), about: doubt), at: start)
        #expect(watch.judge(start) == nil, "it was asked for before this doubt arose")
        let last = try #require(watch.doubt)
        watch.observe(.fetched(Self.timestamp(0)), at: start)
        watch.observe(.fetched(Self.timestamp(-600)), at: start)
        watch.observe(.fetched(Self.timestamp(-600), about: last), at: start)
        #expect(watch.judge(start) == nil, "a right one came between")
    }

    @Test("Of four servers that answer in turn, one that is ten minutes off is no fault, whoever answers the question")
    func fourServers() {
        for turns in 1...4 {
            var watch = ClockWatch(start)
            for second in 0..<3000 as Range<Int64> {
                let now = Self.reading(wall: second, uptime: second)
                let asked = second % Int64(turns) == 0 ? watch.doubt : nil
                watch.observe(.fetched(Self.timestamp(second + (second % 4 == 3 ? 600 : 0)), about: asked), at: now)
                #expect(watch.judge(now) == nil)
            }
        }
    }

    @Test("With Apple out of reach, what its clock showed is forgotten after ten minutes, and by a reload at once")
    func forgotten() throws {
        for isReloaded in [false, true] {
            var watch = ClockWatch(start)
            watch.observe(.fetched(Self.timestamp(600)), at: start)
            watch.observe(.fetched(Self.timestamp(600), about: watch.doubt), at: start)
            #expect(watch.judge(Self.reading(wall: 600, uptime: 600)) != nil)
            let later = Self.reading(wall: 601, uptime: isReloaded ? 600 : 601)
            if isReloaded { watch.believe(later) }
            #expect(watch.judge(later) == nil)
            #expect((watch.doubt != nil) == isReloaded, "after a reload Apple is asked")
            watch.observe(.fetched(Self.timestamp(1_200), about: watch.doubt), at: later)
            #expect(watch.judge(later) == nil, "one answer is not enough again")
        }
    }

    @Test("A clock that is moved after two answers differs from them at once; after one, a second is asked for")
    func moved() {
        for answers in [1, 2] {
            var watch = ClockWatch(start)
            for _ in 0..<answers { watch.observe(.fetched(Self.timestamp(0)), at: start) }
            let moved = Self.reading(wall: 3_610, uptime: 10)
            let fault = ClockFault.aheadOfApple(milliseconds: 3_600_000)
            #expect(watch.judge(moved) == (answers == 1 ? .jumped(milliseconds: 3_600_000) : fault))
            watch.observe(.fetched(Self.timestamp(10)), at: moved)
            #expect(watch.judge(moved) == fault)
        }
    }

    @Test("A date that no clock shows is left alone", arguments: [.min, -1, 253_402_300_800_000, .max] as [Int64])
    func implausible(milliseconds: Int64) {
        var watch = ClockWatch(start)
        watch.observe(.signed(Timestamp(millisecondsSince1970: milliseconds)), at: start)
        watch.observe(.fetched(Timestamp(millisecondsSince1970: milliseconds)), at: start)
        #expect(watch.judge(start) == nil)
    }

    @Test("The monitor feeds the watch with both clocks of the machine")
    func monitor() {
        let monitor = ClockMonitor { [start] in start }
        #expect(monitor.fault == nil)
        monitor.observe(.signed(Self.timestamp(1_000)))
        #expect(monitor.fault == .behindApple(milliseconds: 1_000_000))
        monitor.observe(.fetched(Self.timestamp(0)))
        #expect(monitor.fault == nil)
    }
}
