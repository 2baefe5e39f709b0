import NIOCore
import NIOHTTP1

/// The phase of a connection, its deadline, and its waiting input: a pure state machine, which ``Connection`` obeys.
///
/// A request is handed on when all of it is there, so that a slow client occupies nothing but its connection. Requests
/// are handled one at a time, and pipelined ones wait (RFC 9112 §9.3.2). While anything waits, nothing more is read.
struct ConnectionState {
    enum Phase: Equatable {
        case handshaking
        case idle
        /// A request has begun, and its head is not complete.
        case readingHead
        case readingBody(received: Int, limit: Int)
        /// The request is there, its answer is not.
        case answering
        /// The request was refused, and the rest of its body is thrown away.
        case refusing(received: Int, limit: Int)
        /// The last answer was sent, and further bytes are thrown away.
        case lingering
    }

    /// A client that ends its input within this time after its request still waits for the answer.
    static let haste = TimeAmount.milliseconds(250)

    private(set) var phase: Phase
    /// The moment at which the phase has lasted too long; `nil` in a phase that ends by itself.
    private(set) var deadline: NIODeadline?
    /// The moment since when the client has had to act; `nil` while it waits for an answer.
    var silentSince: NIODeadline? { phase == .answering ? nil : clientsTurn }
    private var clientsTurn: NIODeadline
    private let limits: ConnectionLimits
    private var closesAfterAnswer = false
    private var isInputClosed = false
    private var hasNextBegun = false
    /// Whether the client reads its answers: otherwise so many wait for it that the next request has to.
    var isWritable = true
    private(set) var asksForHeadAlone = false
    private var waiting = CircularBuffer<Input>(initialCapacity: 0)
    private var isReadDue = false
    private var isReleasing = false

    init(limits: ConnectionLimits, isSecure: Bool, now: NIODeadline) {
        self.limits = limits
        phase = isSecure ? .handshaking : .idle
        clientsTurn = now
        deadline = now + limits.silenceTimeout
    }

    /// Whether a complete request has no answer, so that the next one waits.
    var isAwaitingAnswer: Bool { phase == .answering }

    /// Whether nothing of an answer is on its way, so that a refusal can take its place.
    var mayRefuse: Bool {
        switch phase {
        case .idle, .readingHead, .readingBody: true
        case .handshaking, .answering, .refusing, .lingering: false
        }
    }

    // MARK: The order of requests

    enum Input {
        case part(HTTPServerRequestPart)
        /// The bytes that follow are no HTTP.
        case fault(HTTPParserError)
        case end
    }

    /// Whether an input is handled now; otherwise it waits until ``next()`` returns it.
    mutating func takes(_ input: Input) -> Bool {
        let isTaken =
            switch input {
            case .part: waiting.isEmpty && isWritable && !isAwaitingAnswer
            case .fault: waiting.isEmpty && !isAwaitingAnswer
            case .end: waiting.isEmpty
            }
        if !isTaken { waiting.append(input) }
        return isTaken
    }

    /// Begins to hand out the waiting input; `false` while that is being done.
    mutating func beginRelease() -> Bool {
        guard !isReleasing else { return false }
        isReleasing = true
        return true
    }

    /// The input that has waited longest; `nil` when none waits, or none may come yet.
    mutating func next() -> Input? {
        guard isWritable, !isAwaitingAnswer else { return nil }
        return waiting.popFirst()
    }

    /// Ends to hand out the waiting input, and returns whether a postponed read is due.
    mutating func endRelease() -> Bool {
        isReleasing = false
        guard isReadDue, waiting.isEmpty else { return false }
        isReadDue = false
        return true
    }

    /// Whether more can be read at once; otherwise the read is postponed.
    mutating func mayRead() -> Bool {
        isReadDue = !waiting.isEmpty
        return !isReadDue
    }

    // MARK: One request

    mutating func handshakeCompleted(at now: NIODeadline) {
        guard phase == .handshaking else { return }
        becomeIdle(at: now)
        deadline = now + limits.silenceTimeout
    }

    mutating func bytesArrived(at now: NIODeadline) {
        if isAwaitingAnswer { hasNextBegun = true }
        guard phase == .idle else { return }
        awaitHead(from: now)
    }

    /// The fate of a connection when the service stops.
    enum Farewell: Equatable {
        /// Nothing is on its way.
        case close
        /// It is closed for output, and soon altogether, so that an answer that was sent arrives.
        case linger
        /// The request that has begun is finished, and its answer closes the connection.
        case finish
    }

    /// The service stops, and accepts no new requests.
    mutating func serviceGoes(at now: NIODeadline) -> Farewell {
        closesAfterAnswer = true
        switch phase {
        case .handshaking, .idle: return waiting.isEmpty ? .close : .finish
        case .refusing:
            linger(from: now)
            return .linger
        case .readingHead, .readingBody, .answering, .lingering: return .finish
        }
    }

    /// The fate of a connection when the time to finish is over.
    enum End: Equatable {
        /// The client gets a refusal; a request was cut off, unless there is only part of a head, which may never end.
        case refuse(isCutOff: Bool)
        /// Its last answer is on its way.
        case wait
        case close
    }

    func timeIsOver() -> End {
        switch phase {
        case .lingering: .wait
        case .readingHead: .refuse(isCutOff: false)
        case .handshaking, .idle, .refusing: .close
        case .readingBody, .answering: .refuse(isCutOff: true)
        }
    }

    /// A head has come; returns whether the request is judged.
    mutating func headArrived(asksForHeadAlone: Bool) -> Bool {
        guard phase != .lingering else { return false }
        self.asksForHeadAlone = asksForHeadAlone
        return true
    }

    mutating func admitted(maximumBodyBytes: Int, keepsAlive: Bool, at now: NIODeadline) {
        closesAfterAnswer = closesAfterAnswer || !keepsAlive
        phase = .readingBody(received: 0, limit: maximumBodyBytes)
        clientsTurn = now
        deadline = now + limits.requestTimeout
    }

    /// A request is refused, however much of it there is.
    mutating func refused(closes: Bool, at now: NIODeadline) {
        closesAfterAnswer = closesAfterAnswer || closes
        // All of a request that was being answered is there.
        if phase != .answering { phase = .refusing(received: 0, limit: limits.maximumBodyBytes) }
        deadline = now + limits.requestTimeout
    }

    enum BodyAction: Equatable {
        case keep
        case drop
        /// The body is too long: the request is refused, and the connection closed.
        case refuse(limit: Int)
        /// The connection is closed, as the body may never end.
        case close
    }

    mutating func bodyArrived(_ count: Int) -> BodyAction {
        switch phase {
        case .readingBody(let received, let limit):
            guard received + count <= limit else { return .refuse(limit: limit) }
            phase = .readingBody(received: received + count, limit: limit)
            return .keep
        case .refusing(let received, let limit):
            guard received + count <= limit else { return .close }
            phase = .refusing(received: received + count, limit: limit)
            return .drop
        case .handshaking, .idle, .readingHead, .answering, .lingering: return .drop
        }
    }

    /// A request has come to its end; returns whether to answer it.
    mutating func requestEnded(at now: NIODeadline) -> Bool {
        switch phase {
        case .readingBody:
            phase = .answering
            deadline = now + limits.answerTimeout
            return true
        case .refusing: becomeIdle(at: now)
        case .handshaking, .idle, .readingHead, .answering, .lingering: break
        }
        return false
    }

    /// An answer's head goes out; returns whether it says that the connection closes.
    mutating func answerBegins(isDraining: Bool) -> Bool {
        closesAfterAnswer = closesAfterAnswer || isDraining || isInputClosed
        return closesAfterAnswer
    }

    /// An answer's last byte goes out; returns whether to close the connection.
    mutating func answerEnded(at now: NIODeadline) -> Bool {
        clientsTurn = now
        if closesAfterAnswer {
            linger(from: now)
            waiting.removeAll()
            return true
        }
        if phase == .answering { becomeIdle(at: now) }
        return false
    }

    /// The client sends nothing more; returns whether the connection can be closed at once.
    ///
    /// It may still read, or be gone: TCP shows no difference. A client whose input ends right behind its request waits
    /// for the answer; a client whose input ends later has given up waiting.
    mutating func inputClosed(at now: NIODeadline) -> Bool {
        isInputClosed = true
        guard isAwaitingAnswer, let deadline else { return true }
        return now > deadline - limits.answerTimeout + Self.haste
    }

    /// The reaction to the time that a phase has lasted.
    enum TimeoutAction: Equatable {
        case wait(until: NIODeadline)
        /// The client gets a refusal, and the connection is closed.
        case refuse(Problem)
        case close
    }

    func timeout(at now: NIODeadline) -> TimeoutAction {
        guard let deadline else { return .wait(until: now + limits.shortestTimeout) }
        guard now >= deadline else { return .wait(until: min(deadline, now + limits.shortestTimeout)) }
        switch phase {
        case .readingHead, .readingBody: return .refuse(.requestTimeout)
        case .answering: return .refuse(.answerTimeout)
        case .handshaking, .idle, .refusing, .lingering: return .close
        }
    }

    private mutating func awaitHead(from now: NIODeadline) {
        phase = .readingHead
        deadline = now + limits.headerTimeout
    }

    private mutating func linger(from now: NIODeadline) {
        phase = .lingering
        deadline = now + limits.answerTimeout
    }

    private mutating func becomeIdle(at now: NIODeadline) {
        // Bytes that came during the answer may begin a head, whose end must not be waited for forever.
        if hasNextBegun {
            hasNextBegun = false
            return awaitHead(from: now)
        }
        phase = .idle
        deadline = now + limits.idleTimeout
    }
}

extension ConnectionLimits {
    /// The longest silence of a connection before its first request.
    fileprivate var silenceTimeout: TimeAmount { min(idleTimeout, headerTimeout) }

    /// The longest time between two checks of a connection's deadline: no deadline comes sooner after it was set.
    var shortestTimeout: TimeAmount { min(idleTimeout, headerTimeout, requestTimeout, answerTimeout) }
}
