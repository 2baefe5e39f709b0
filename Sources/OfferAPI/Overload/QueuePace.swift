/// How fast a queue moves, by how many requests leave it while it is never empty: a pure state machine over the time since
/// some start.
///
/// The wait of a request and its place in the queue would tell less: those that come in one tick of an event loop are
/// signed and written together, and the first of them waits as long as the last.
///
/// The best of the last measurements counts, as in BBR (draft-ietf-ccwg-bbr, "BBR.max_bw"): a disk that stalls, or many
/// connections that come at once, make the queue slow for a moment, and say nothing of what it does when they are over. All
/// times are in nanoseconds.
struct QueuePace: Equatable, Sendable {
    /// What is assumed where nothing is known: 256 requests in a tenth of a second.
    static let unknown = 390_625.0
    /// How long the queue is watched for one measurement, at least.
    private static let span: UInt64 = 20_000_000
    /// Of how many measurements the best counts.
    private static let most = 5
    /// How many have to leave before the queue is empty, so that it tells how many can be through in a time, and not how
    /// long one takes.
    private static let enough = 16
    /// The quickest that is believed.
    private static let fastest = 1000.0

    /// In which time the queue moves on by one request.
    private(set) var time = Self.unknown
    /// How often it was measured.
    private(set) var measurements = 0
    private var measured = [Double](repeating: Self.unknown, count: Self.most)
    /// When a request came into the empty queue; `nil` when that belongs to an earlier measurement.
    private var arrival: UInt64?
    /// When the first of the requests left that are counted, and how many they are.
    private var start: UInt64 = 0
    private var departures = 0

    /// A request has come into the empty queue.
    ///
    /// - Parameter now: The time.
    mutating func begin(at now: UInt64) { (arrival, departures) = (now, 0) }

    /// A request has left the queue, as it has what it waited for.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isEmpty: Whether it was the last one.
    mutating func leave(at now: UInt64, isEmpty: Bool) {
        // From the first of those that leave together to the first of others, which have taken the time between.
        if departures > 0, now > start + Self.span {
            learn(since: start, until: now)
            (arrival, departures) = (nil, 0)
        }
        if departures == 0 { start = now }
        departures += 1
        if isEmpty, departures >= Self.enough, let arrival { learn(since: arrival, until: now) }
    }

    private mutating func learn(since start: UInt64, until now: UInt64) {
        // Two event loops may look at the clock in one order, and come here in the other.
        let elapsed = now > start ? now - start : 0
        measured[measurements % Self.most] = max(Double(elapsed) / Double(departures), Self.fastest)
        measurements += 1
        time = measured.min() ?? Self.unknown
    }
}
