import NIOCore
import NIOHTTP1

/// The phase of a connection, its deadline, and the input that waits: a pure state machine, and ``Connection`` does what
/// it says.
///
/// A request is handed on when all of it is there, so that a slow client holds nothing but its connection. Requests are
/// taken one at a time, and pipelined ones wait (RFC 9112 §9.3.2). While anything waits, nothing more is read.
struct ConnectionState {
    /// The phases of a connection.
    enum Phase: Equatable {
        /// TLS is being negotiated.
        case handshaking
        /// Between requests.
        case idle
        /// A request has begun, and its head is not complete.
        case readingHead
        /// The body is coming.
        case readingBody(received: Int, limit: Int)
        /// The request is there, its answer is not.
        case answering
        /// The request was refused, and the rest of its body is thrown away.
        case refusing(received: Int, limit: Int)
        /// The last answer was given, and what still comes is thrown away.
        case lingering
    }

    /// How soon after a request a client says that nothing more comes, where it still waits for the answer.
    static let haste = TimeAmount.milliseconds(250)

    /// The phase of the connection.
    private(set) var phase: Phase
    /// When the phase has lasted too long; `nil` in one that ends by itself.
    private(set) var deadline: NIODeadline?
    /// Since when the client has been expected to do something; `nil` while it waits for an answer.
    var silentSince: NIODeadline? { phase == .answering ? nil : clientsTurn }
    private var clientsTurn: NIODeadline
    private let limits: ConnectionLimits
    private var closesAfterAnswer = false
    private var isInputClosed = false
    private var hasNextBegun = false
    /// Whether the client reads its answers, and not so many wait for it that the next request has to.
    var isWritable = true
    /// Whether the request that came last is for the head of an answer alone.
    private(set) var asksForHeadAlone = false
    private var waiting = CircularBuffer<Input>(initialCapacity: 0)
    private var isReadDue = false
    private var isReleasing = false

    /// A new connection.
    init(limits: ConnectionLimits, isSecure: Bool, now: NIODeadline) {
        self.limits = limits
        phase = isSecure ? .handshaking : .idle
        clientsTurn = now
        deadline = now + limits.silenceTimeout
    }

    /// Whether a request is complete and has no answer, so that the next one waits.
    var isAwaitingAnswer: Bool { phase == .answering }

    /// Whether nothing of an answer is on its way, so that a refusal can take its place.
    var mayRefuse: Bool {
        switch phase {
        case .idle, .readingHead, .readingBody: true
        case .handshaking, .answering, .refusing, .lingering: false
        }
    }

    // MARK: The order of requests

    /// Something that a client sends.
    enum Input {
        /// A part of a request.
        case part(HTTPServerRequestPart)
        /// What follows is no HTTP.
        case fault(HTTPParserError)
        /// The client sends nothing more.
        case end
    }

    /// Something has come.
    ///
    /// - Returns: Whether it is taken now; otherwise it waits, until ``next()`` gives it.
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

    /// Begins to hand out the input that has waited.
    ///
    /// - Returns: Whether to ask for it; not while that is being done.
    mutating func beginRelease() -> Bool {
        guard !isReleasing else { return false }
        isReleasing = true
        return true
    }

    /// The input that has waited longest; `nil` when nothing waits, or nothing may come yet.
    mutating func next() -> Input? {
        guard isWritable, !isAwaitingAnswer else { return nil }
        return waiting.popFirst()
    }

    /// Ends to hand out the input that has waited.
    ///
    /// - Returns: Whether a read that was put off is due.
    mutating func endRelease() -> Bool {
        isReleasing = false
        guard isReadDue, waiting.isEmpty else { return false }
        isReadDue = false
        return true
    }

    /// More is to be read.
    ///
    /// - Returns: Whether it can be at once; otherwise it is put off.
    mutating func mayRead() -> Bool {
        isReadDue = !waiting.isEmpty
        return !isReadDue
    }

    // MARK: One request

    /// TLS is negotiated.
    mutating func handshakeCompleted(at now: NIODeadline) {
        guard phase == .handshaking else { return }
        becomeIdle(at: now)
        deadline = now + limits.silenceTimeout
    }

    /// Some bytes have come.
    mutating func bytesArrived(at now: NIODeadline) {
        if isAwaitingAnswer { hasNextBegun = true }
        guard phase == .idle else { return }
        awaitHead(from: now)
    }

    /// What becomes of a connection when the service goes.
    enum Farewell: Equatable {
        /// It is closed: nothing is on its way.
        case close
        /// It is closed for output, and soon altogether, so that an answer that was given arrives.
        case linger
        /// The request that has begun is finished, and its answer closes the connection.
        case finish
    }

    /// The service is on its way out, and takes no new requests.
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

    /// What becomes of a connection when the time to finish is over.
    enum End: Equatable {
        /// The client gets a refusal. A request was cut off, unless there was but a part of a head, of which the rest may
        /// never have been meant to come.
        case refuse(isCutOff: Bool)
        /// Its last answer is on its way.
        case wait
        /// It is closed.
        case close
    }

    /// The time to finish is over.
    func timeIsOver() -> End {
        switch phase {
        case .lingering: .wait
        case .readingHead: .refuse(isCutOff: false)
        case .handshaking, .idle, .refusing: .close
        case .readingBody, .answering: .refuse(isCutOff: true)
        }
    }

    /// A head has come.
    ///
    /// - Returns: Whether the request is looked at.
    mutating func headArrived(asksForHeadAlone: Bool) -> Bool {
        guard phase != .lingering else { return false }
        self.asksForHeadAlone = asksForHeadAlone
        return true
    }

    /// A head has come that is admitted.
    mutating func admitted(maximumBodyBytes: Int, keepsAlive: Bool, at now: NIODeadline) {
        closesAfterAnswer = closesAfterAnswer || !keepsAlive
        phase = .readingBody(received: 0, limit: maximumBodyBytes)
        clientsTurn = now
        deadline = now + limits.requestTimeout
    }

    /// A request is refused, whatever there is of it.
    mutating func refused(closes: Bool, at now: NIODeadline) {
        closesAfterAnswer = closesAfterAnswer || closes
        // All of a request that was being answered is there.
        if phase != .answering { phase = .refusing(received: 0, limit: limits.maximumBodyBytes) }
        deadline = now + limits.requestTimeout
    }

    /// What to do with a piece of a body.
    enum BodyAction: Equatable {
        /// It is kept.
        case keep
        /// It is of no interest.
        case drop
        /// The body is too long: the request is refused, and the connection closed.
        case refuse(limit: Int)
        /// The connection is closed, as the end of this may never come.
        case close
    }

    /// A piece of a body has come.
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

    /// A request has come to its end.
    ///
    /// - Returns: Whether it is to be answered.
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

    /// An answer's head goes out.
    ///
    /// - Returns: Whether the answer says that the connection closes.
    mutating func answerBegins(isDraining: Bool) -> Bool {
        closesAfterAnswer = closesAfterAnswer || isDraining || isInputClosed
        return closesAfterAnswer
    }

    /// An answer's last byte goes out.
    ///
    /// - Returns: Whether the connection is to be closed.
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

    /// The client sends nothing more.
    ///
    /// It may still read, or be gone: TCP shows no difference. A client that says so behind its request waits for the
    /// answer; one that says so later has given up waiting.
    ///
    /// - Returns: Whether the connection can be closed at once.
    mutating func inputClosed(at now: NIODeadline) -> Bool {
        isInputClosed = true
        guard isAwaitingAnswer, let deadline else { return true }
        return now > deadline - limits.answerTimeout + Self.haste
    }

    /// What to do when a phase has lasted too long.
    enum TimeoutAction: Equatable {
        /// It has not.
        case wait(until: NIODeadline)
        /// The client gets a refusal, and the connection is closed.
        case refuse(Problem)
        /// The connection is closed.
        case close
    }

    /// Looks whether the phase has lasted too long.
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
        // What came during the answer may be the beginning of a head, whose end must not be waited for forever.
        if hasNextBegun {
            hasNextBegun = false
            return awaitHead(from: now)
        }
        phase = .idle
        deadline = now + limits.idleTimeout
    }
}

extension ConnectionLimits {
    /// How long a connection may do without its first request.
    fileprivate var silenceTimeout: TimeAmount { min(idleTimeout, headerTimeout) }

    /// How often a connection's deadline is looked at, at least: no deadline comes sooner after it was set.
    var shortestTimeout: TimeAmount { min(idleTimeout, headerTimeout, requestTimeout, answerTimeout) }
}
