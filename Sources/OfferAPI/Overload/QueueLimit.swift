/// How many requests may wait to be worked on, by how long they wait: a pure state machine over the time since some start.
///
/// A queue that is never empty for a while is a standing one, and only makes everybody wait; a burst that is worked off at
/// once does no harm. What tells them apart is the shortest wait within an interval, as in CoDel (RFC 8289 §3). While that
/// is above the target, the room shrinks; while it is below and the room was too small, it grows.
struct QueueLimit: Equatable, Sendable {
    /// The shortest wait within an interval that is still no standing queue.
    static let target = Duration.milliseconds(5)
    /// How long the shortest wait is looked for.
    static let interval = Duration.milliseconds(100)
    /// The smallest room: whoever works is never without work because of the limit.
    static let smallest = 4.0
    /// The largest room, for a burst after a quiet time.
    static let largest = 1024.0

    /// How many requests wait.
    private(set) var waiting = 0
    private var room = 64.0
    private var intervalEnd = interval
    private var shortestWait: Duration?
    private var wasFull = false

    /// How many requests may wait.
    var limit: Int { Int(room) }

    /// Whether there is room for another.
    var hasRoom: Bool { waiting < limit }

    /// Takes a place.
    ///
    /// - Returns: `false` when there is none: the request has to be refused at once.
    mutating func enter() -> Bool {
        guard hasRoom else {
            wasFull = true
            return false
        }
        waiting += 1
        return true
    }

    /// Gives a place back, as the request is worked on from now on.
    ///
    /// - Parameters:
    ///   - wait: How long it waited.
    ///   - now: The time.
    mutating func leave(after wait: Duration, at now: Duration) {
        waiting -= 1
        shortestWait = shortestWait.map { min($0, wait) } ?? wait
        guard now >= intervalEnd, let shortest = shortestWait else { return }
        if shortest > Self.target {
            // Towards the room in which they would wait as long as they may, by half at most.
            room = max(room * max(Self.target / shortest, 0.5), Self.smallest)
        } else if wasFull {
            room = min(room + max(room / 10, 1), Self.largest)
        }
        shortestWait = nil
        wasFull = false
        intervalEnd = now + Self.interval
    }

    /// Gives a place back, as the client has gone.
    mutating func abandon() { waiting -= 1 }
}
