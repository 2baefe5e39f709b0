import NIOHTTP1

/// What a client sends before it has its answer: pipelined requests, which wait for their turn (RFC 9112 §9.3.2).
///
/// While anything waits, nothing more is read.
struct HeldInput {
    /// Something that waits.
    enum Event {
        /// A part of a request.
        case part(HTTPServerRequestPart)
        /// What follows is no HTTP.
        case fault(HTTPParserError)
        /// The client sends nothing more.
        case end
    }

    private var events: [Event] = []
    private var next = 0
    /// Whether more is to be read when nothing waits any more.
    private(set) var isReadDue = false

    /// Begins with nothing.
    init() {}

    /// Whether nothing waits.
    var isEmpty: Bool { next == events.count }

    /// Holds something back.
    ///
    /// - Parameter event: What waits.
    mutating func hold(_ event: Event) { events.append(event) }

    /// Takes what has waited longest.
    ///
    /// - Returns: What it is; `nil` when nothing waits.
    mutating func takeNext() -> Event? {
        guard next < events.count else { return nil }
        defer {
            next += 1
            if next == events.count {
                events.removeAll(keepingCapacity: false)
                next = 0
            }
        }
        return events[next]
    }

    /// Throws away what waits.
    mutating func removeAll() {
        events = []
        next = 0
    }

    /// More is to be read.
    ///
    /// - Returns: Whether it can be at once.
    mutating func mayRead() -> Bool {
        isReadDue = !isEmpty
        return !isReadDue
    }

    /// Whether what was put off is to be read now.
    ///
    /// - Returns: `true` once for each time that it was put off.
    mutating func takeDueRead() -> Bool {
        guard isReadDue, isEmpty else { return false }
        isReadDue = false
        return true
    }
}
