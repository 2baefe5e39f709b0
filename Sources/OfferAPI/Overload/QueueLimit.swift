/// How many requests may wait, by how long they wait: a pure state machine over the time since some start.
///
/// The wait of each request, divided by its place in the queue, tells how fast the queue moves just now; there is room for
/// as many as are through within the target. A burst does no harm, and neither do many connections that each wait for their
/// answer before they ask again: they have more room. But where requests had to be refused for a while, more come than can
/// be answered, and a long queue would only make everybody wait: what tells the two apart is time, as in CoDel
/// (RFC 8289 §3). All times are in nanoseconds.
struct QueueLimit: Equatable, Sendable {
    /// How long a request should wait at the most where more come than can be answered.
    static let target = 2_500_000.0
    /// How long a request may wait in a burst.
    static let burstTarget = 50_000_000.0
    /// The smallest room for a burst: as many as the connections of a pool, so that a single backend that asks for much at a
    /// time waits for itself rather than being refused.
    static let burst = 64
    /// The room before anything is known of the pace.
    private static let firstRoom = 256
    /// The smallest room: whoever works is never without work because of the limit.
    static let smallest = 4
    /// The largest room, for a burst of small requests.
    static let largest = 1024
    /// For how long requests are refused until it counts as no burst.
    static let patience: UInt64 = 20_000_000
    /// For how long nobody was refused when it is over.
    static let calm: UInt64 = 1_000_000_000
    /// How much the latest wait counts beside all those before.
    private static let weight = 1.0 / 16
    /// By how many times one wait may exceed the pace, so that a single stall is not taken for it.
    private static let largestStep = 4.0
    /// The fastest pace that is believed.
    private static let fastest = 1000.0

    /// How many requests wait.
    private(set) var waiting = 0
    /// In which time the queue moves on by one, on average over the last requests.
    private var pace = burstTarget / Double(firstRoom)
    private var firstRefusal: UInt64 = 0
    private var lastRefusal: UInt64 = 0
    private var isOverloaded = false

    /// How many requests may wait.
    var limit: Int {
        let room =
            isOverloaded
            ? max(Int(Self.target / pace), Self.smallest)
            : max(Int(Self.burstTarget / pace), Self.burst)
        return min(room, Self.largest)
    }

    /// Whether there is room for another; where there is none, the request has to be refused at once.
    ///
    /// - Parameter now: The time.
    /// - Returns: `true` when there is.
    mutating func hasRoom(at now: UInt64) -> Bool {
        if now > lastRefusal + Self.calm { isOverloaded = false }
        if waiting < limit { return true }
        // What was refused a while ago belongs to another burst.
        if now > lastRefusal + Self.patience { firstRefusal = now }
        if now > firstRefusal + Self.patience { isOverloaded = true }
        lastRefusal = max(lastRefusal, now)
        return false
    }

    /// Takes a place.
    ///
    /// - Parameter now: The time.
    /// - Returns: The place, from 1 on; `nil` when there is none: the request has to be refused at once.
    mutating func enter(at now: UInt64) -> Int? {
        guard hasRoom(at: now) else { return nil }
        waiting += 1
        return waiting
    }

    /// Gives a place back, as the request has what it waited for.
    ///
    /// - Parameters:
    ///   - place: The place that it took.
    ///   - nanoseconds: How long it waited.
    mutating func leave(_ place: Int, after nanoseconds: Int64) {
        waiting -= 1
        let latest = Double(nanoseconds) / Double(max(place, 1))
        pace += (min(max(latest, Self.fastest), pace * Self.largestStep) - pace) * Self.weight
    }

    /// Gives a place back, as the client has gone.
    mutating func abandon() { waiting -= 1 }
}
