/// How many requests may wait, by how long they wait: a pure state machine over the time since some start.
///
/// There is room for as many as are through within the target, by how fast the queue moves just now. A burst does no harm,
/// and neither do many connections that each wait for their answer before they ask again: they have more room. But where
/// requests had to be refused for a while, more come than can be answered, and a long queue would only make everybody wait:
/// what tells the two apart is time, as in CoDel (RFC 8289 §3). Then the room follows the waits of those who took the last
/// places: it becomes a little larger after each that was within the target, and a little smaller after each that was not.
///
/// A part of the wait is no queue: a disk that takes ten milliseconds to sync, a database that is far, a processor that
/// others use too. Whoever comes waits that long with nobody before, and a shorter queue would spare nobody anything: it
/// would leave the service idle meanwhile, and more would be refused than has to be. So the target is for what is waited
/// longer than with hardly anybody before. That is measured where the queue is short by itself, and else now and then in a
/// queue that is kept short for it, as BBR measures the time of a path (draft-ietf-ccwg-bbr, "ProbeRTT"). All times are in
/// nanoseconds.
struct QueueLimit: Equatable, Sendable {
    /// How much longer a request should wait, where more come than can be answered, than with hardly anybody before.
    static let target = 2_000_000.0
    /// How long a request may wait in a burst, and at the most in overload too.
    static let burstTarget = 100_000_000.0
    /// The smallest room for a burst: as many as the connections of a pool, so that a single backend that asks for much at a
    /// time waits for itself rather than being refused.
    static let burst = 64
    /// The smallest room: one is worked on while another's signatures are written.
    ///
    /// The wait with hardly anybody before is measured in it. With more of them, half of that wait would be a queue already.
    static let smallest = 2
    /// The largest room, for a burst of small requests.
    static let largest = 1024
    /// For how many measurements of the pace requests are refused until it counts as no burst: a stall is one of them,
    /// however long it is.
    static let patience = 5
    /// For how long nobody was refused when another burst begins.
    private static let pause: UInt64 = 100_000_000
    /// For how long nobody was refused when it is over.
    static let calm: UInt64 = 1_000_000_000
    /// After how long in overload there is room for a burst again, for a moment.
    ///
    /// Those who ask on many connections, and ask again as soon as they are refused, may all find room by then. It is put
    /// off for twice as long each time that they do not, up to the longest time.
    static let overload: UInt64 = 30_000_000_000
    private static let longestOverload: UInt64 = 240_000_000_000
    /// How often the wait with hardly anybody before is measured in overload, and by how many requests.
    private static let measuringInterval: UInt64 = 5_000_000_000
    private static let measures = 16
    /// How much more room there is in overload after a wait within the target, and how much less after another.
    private static let step = 0.25
    private static let backwardStep = 0.75
    /// How much the latest wait with hardly anybody before counts beside all those before, and by how many times it may
    /// exceed them.
    private static let weight = 1.0 / 8
    private static let largestStep = 4.0

    /// How many requests wait.
    private(set) var waiting = 0
    private var pace = QueuePace()
    /// How long a request waits with hardly anybody before, on average over the last ones.
    private var base = 0.0
    /// How often the pace had been measured when the first request of a burst was refused.
    private var firstRefusal = 0
    private var lastRefusal: UInt64 = 0
    private var isOverloaded = false
    /// How many may wait in overload.
    private var room = 0.0
    /// When there is room for a burst again, and for how long that is put off.
    private var overloadEnd: UInt64 = 0
    private var overload = Self.overload
    /// When the wait with hardly anybody before is measured next, and how many are still to be measured.
    private var nextMeasuring: UInt64 = 0
    private var toMeasure = 0

    /// How many requests may wait.
    var limit: Int {
        if isOverloaded { return toMeasure > 0 ? Self.smallest : Int(room) }
        return min(max(Int(Self.burstTarget / pace.time), Self.burst), Self.largest)
    }

    /// Whether there is room for another; where there is none, the request has to be refused at once.
    ///
    /// - Parameter now: The time.
    /// - Returns: `true` when there is.
    mutating func hasRoom(at now: UInt64) -> Bool {
        if now > lastRefusal + Self.calm { (isOverloaded, overload) = (false, Self.overload) }
        if isOverloaded { goOn(at: now) }
        if waiting < limit { return true }
        // What was refused a while ago belongs to another burst.
        if now > lastRefusal + Self.pause { firstRefusal = pace.measurements }
        lastRefusal = max(lastRefusal, now)
        if !isOverloaded, pace.measurements >= firstRefusal + Self.patience {
            isOverloaded = true
            overloadEnd = now + overload
            room = Self.bounded(Self.target / pace.time)
        }
        return false
    }

    /// What is due in overload.
    private mutating func goOn(at now: UInt64) {
        if now > overloadEnd {
            isOverloaded = false
            firstRefusal = pace.measurements
            overload = min(overload * 2, Self.longestOverload)
        } else if now > nextMeasuring {
            nextMeasuring = now + Self.measuringInterval
            toMeasure = Self.measures
        }
    }

    /// Takes a place.
    ///
    /// - Parameter now: The time.
    /// - Returns: The place, from 1 on; `nil` when there is none: the request has to be refused at once.
    mutating func enter(at now: UInt64) -> Int? {
        guard hasRoom(at: now) else { return nil }
        if waiting == 0 { pace.begin(at: now) }
        waiting += 1
        return waiting
    }

    /// Gives a place back, as the request has what it waited for.
    ///
    /// - Parameters:
    ///   - place: The place that it took.
    ///   - nanoseconds: How long it waited.
    ///   - now: The time.
    mutating func leave(_ place: Int, after nanoseconds: Int64, at now: UInt64) {
        waiting -= 1
        let wait = Double(nanoseconds)
        pace.leave(at: now, isEmpty: waiting == 0)
        // Who took a place that there is no more says nothing of the room as it is now.
        let places = Int(room)
        if isOverloaded, place <= places, place * 4 > places * 3 {
            let isInTime = wait < min(base + Self.target, Self.burstTarget)
            room = Self.bounded(room + (isInTime ? Self.step : -Self.backwardStep))
        }
        if place <= Self.smallest, limit == Self.smallest {
            base += (min(wait, base * Self.largestStep + Self.target) - base) * Self.weight
            toMeasure = max(toMeasure - 1, 0)
        }
    }

    private static func bounded(_ room: Double) -> Double { min(max(room, Double(smallest)), Double(largest)) }

    /// Gives a place back, as the client has gone.
    mutating func abandon() { waiting -= 1 }
}
