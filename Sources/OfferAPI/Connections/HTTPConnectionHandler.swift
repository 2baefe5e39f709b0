import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOTLS

/// Keeps a connection within its limits, and hands on requests that are complete and worth it.
///
/// It stands between the parser of HTTP/1.1 and the responder, and translates between their types. What to do is decided
/// by ``HTTPConnectionState``.
final class HTTPConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let setup: HTTPConnectionSetup
    private let progress: RequestProgress
    private let arrivals: BytesArrivalHandler
    private var state: HTTPConnectionState
    private var context: ChannelHandlerContext?
    private var head: RequestHead?
    /// The head that came last, for the token of the next one is mostly the same.
    private var latestHead: RequestHead?
    /// The head as the router has it; `nil` where the request is answered on the event loop.
    private var routed: HTTPRequest?
    /// In which queue the request waits.
    private var queue = AdmissionControl.Queue.task
    private var isHeadRequest = false
    private var held = HeldInput()
    private var isReleasing = false
    /// Whether the client reads its answers, and not so many wait for it that the next request has to.
    private var isWritable = true
    private var body = ByteBuffer()
    private var isAnswerBegun = false
    private var timer: Scheduled<Void>?
    private var isHeadOverdue = false

    /// Creates the handler of a new connection.
    ///
    /// - Parameters:
    ///   - setup: What is the same for all connections of the listener.
    ///   - arrivals: What stands before the parser.
    ///   - progress: The place that a request holds until it is worked on.
    init(_ setup: HTTPConnectionSetup, arrivals: BytesArrivalHandler, progress: RequestProgress) {
        self.setup = setup
        self.arrivals = arrivals
        self.progress = progress
        state = HTTPConnectionState(limits: setup.limits, isSecure: setup.isSecure, now: .now())
        arrivals.connection = self
    }

    // MARK: Coming and going

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { watch(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        watch(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        progress.abandon()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted:
            state.handshakeCompleted(at: .now())
            context.fireUserInboundEventTriggered(event)
        case ChannelEvent.inputClosed:
            guard held.isEmpty else { return held.hold(.end) }
            inputClosed(context)
        case is ChannelShouldQuiesceEvent:
            setup.census.drain()
            switch state.serviceGoes(at: .now()) {
            case .close where held.isEmpty: context.close(promise: nil)
            case .linger: linger(context)
            case .close, .finish: break
            }
            context.fireUserInboundEventTriggered(event)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Closes the connection when nobody waits for an answer, behind the answers that are on their way.
    private func inputClosed(_ context: ChannelHandlerContext) {
        guard state.inputClosed(at: .now()), !isAnswerBegun else { return }
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        arrivals.write(ByteBuffer(), promise: written)
        context.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable { release(context) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The parser says so of all that comes after what it has told to be no HTTP.
        if error is ByteToMessageDecoderError { return }
        if let fault = error as? HTTPParserError, state.isAwaitingAnswer || !held.isEmpty {
            return held.hold(.fault(fault))
        }
        fail(error, context)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        guard let fault = error as? HTTPParserError, canRefuse else { return context.close(promise: nil) }
        refuse(isHeadOverdue ? .requestTimeout : Problem(fault, within: setup.limits), closes: true, context)
    }

    /// Some bytes have come, though they may not make a request's head yet.
    func bytesArrived() { state.bytesArrived(at: .now()) }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard held.isEmpty, isWritable, !state.isAwaitingAnswer else { return held.hold(.part(part)) }
        take(part, context)
    }

    func read(context: ChannelHandlerContext) {
        if held.mayRead() { context.read() }
    }

    /// Lets what was held back come, as far as it may by now.
    private func release(_ context: ChannelHandlerContext) {
        // What is refused at once is answered within this, and the next one's turn comes below.
        guard !isReleasing else { return }
        isReleasing = true
        defer { isReleasing = false }
        var hasTaken = false
        while isWritable, !state.isAwaitingAnswer, let event = held.takeNext() {
            switch event {
            case .part(let part):
                take(part, context)
                hasTaken = true
            case .fault(let fault): fail(fault, context)
            case .end: inputClosed(context)
            }
        }
        // What has come is handed to a task only with this.
        if hasTaken { context.fireChannelReadComplete() }
        if held.takeDueRead() { context.read() }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        guard state.phase != .lingering else { return }
        switch part {
        case .head(let head): read(head, context)
        case .body(var piece): read(&piece, context)
        case .end:
            guard state.requestEnded(at: .now()), let head else { return }
            guard progress.enter(queue) else {
                return refuse(.overloaded, closes: false, context)
            }
            let body = body
            self.head = nil
            self.body = ByteBuffer()
            if let routed {
                self.routed = nil
                context.fireChannelRead(wrapInboundOut(.head(routed)))
                if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
                context.fireChannelRead(wrapInboundOut(.end(nil)))
            } else {
                setup.queue?.add(LoopCall(head, body, progress: progress, on: self))
            }
        }
    }

    private func read(_ sent: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isHeadRequest = sent.method == .HEAD
        guard let head = RequestHead(sent, after: latestHead) else {
            return refuse(.malformedTarget, closes: true, context)
        }
        latestHead = head
        let framing = head.framing
        let keepsAlive = HTTPHeadRules.keepsAlive(sent, framing)
        let length = HTTPHeadRules.contentLength(of: framing)
        let hasBody = length.map { $0 > 0 } ?? framing.transferCoding.isThere
        let awaitsContinue = hasBody && HTTPHeadRules.awaitsContinue(framing, in: sent.version)
        // What is left of a refused request is waited for, unless it is long or may never come.
        let isLong = (length ?? 0) > setup.limits.maximumBodyBytes
        let closes = !keepsAlive || isLong || awaitsContinue
        if let problem = HTTPHeadRules.fault(of: framing, in: sent.version) {
            return refuse(problem, closes: true, context)
        }
        queue = setup.queue?.queue(of: head) ?? .task
        if queue == .task {
            routed = try? HTTPRequest(sent, secure: setup.isSecure, splitCookie: false)
            guard routed != nil else { return refuse(.malformedTarget, closes: true, context) }
        }
        self.head = head
        if setup.admission?.hasRoom(in: queue) == false {
            return refuse(.overloaded, closes: closes, context)
        }
        switch setup.judge(head, { context.remoteAddress }) {
        case .refuse(let problem, let delay): refuse(problem, after: delay, closes: closes, context)
        case .admit(let limit):
            if let length, length > limit { return refuse(.bodyTooLarge(limit: limit), closes: true, context) }
            state.admitted(maximumBodyBytes: limit, keepsAlive: keepsAlive, at: .now())
            if awaitsContinue {
                let go = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
            }
        }
    }

    private func read(_ piece: inout ByteBuffer, _ context: ChannelHandlerContext) {
        switch state.bodyArrived(piece.readableBytes) {
        case .keep:
            if body.readableBytes == 0 { body = piece } else { body.writeBuffer(&piece) }
        case .drop: break
        case .refuse(let limit): refuse(.bodyTooLarge(limit: limit), closes: true, context)
        case .close: context.close(promise: nil)
        }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Who answers too late was answered for.
        guard state.phase == .answering else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isAnswerBegun = true
            write(HTTPResponseHead(head), promise: promise, context)
        case .body(let bytes):
            guard !isHeadRequest else {
                promise?.succeed()
                return
            }
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end: writeEnd(promise: promise, context)
        }
    }

    /// Hummingbird closes the input of a connection when the task that answers its requests is cancelled: the time to
    /// finish is over.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .input {
            if state.isInRequest { setup.census.requestCutOff() }
            // Who has sent but a part of a head may never have meant to send the rest, and is not counted.
            if state.isInRequest || state.phase == .readingHead, !isAnswerBegun {
                refuse(.shuttingDown, closes: true, context)
            }
        }
        context.close(mode: mode, promise: promise)
    }

    private func write(_ head: HTTPResponseHead, promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        var head = head
        if state.answerBegins(isDraining: setup.census.isDraining) {
            head.headers.replaceOrAdd(name: "connection", value: "close")
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private func writeEnd(promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        write(wrapOutboundOut(.end(nil)), endingAnswer: promise, context) { context.write($0, promise: $1) }
    }

    /// Writes the last of an answer, and looks what comes next.
    private func write<Last>(
        _ last: Last,
        endingAnswer promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext,
        by write: (Last, EventLoopPromise<Void>?) -> Void
    ) {
        isAnswerBegun = false
        // First of all, as the next request may come while the end is written.
        guard state.answerEnded(at: .now()) else {
            write(last, promise)
            return release(context)
        }
        held.removeAll()
        let promise = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in bound.value.0.linger(bound.value.1) }
        write(last, promise)
        release(context)
    }

    /// Says that nothing more comes, and closes the connection when what was sent has had its time to arrive.
    private func linger(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        _ = context.eventLoop.scheduleTask(in: setup.limits.lingerTimeout) { bound.value.close(promise: nil) }
    }

    /// Whether nothing of an answer is on its way, so that another can take its place.
    private var canRefuse: Bool {
        switch state.phase {
        case .idle, .readingHead, .readingBody: true
        case .handshaking, .answering, .refusing, .holdingBack, .lingering: false
        }
    }

    private func refuse(
        _ problem: Problem,
        after delay: TimeAmount = .zero,
        closes: Bool,
        _ context: ChannelHandlerContext
    ) {
        let identity = head?.identity ?? RequestIdentity(RequestFields())
        setup.noteRefusal(head, identity, problem)
        (head, routed) = (nil, nil)
        body = ByteBuffer()
        state.refused(closes: closes, at: .now())
        guard delay > .zero else { return answer(problem, to: identity, context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        _ = context.eventLoop.scheduleTask(in: delay) {
            let (handler, context) = bound.value
            if handler.state.isInRequest { handler.answer(problem, to: identity, context) }
        }
    }

    private func answer(_ problem: Problem, to identity: RequestIdentity, _ context: ChannelHandlerContext) {
        var answer = problem == .overloaded ? .overloaded : LoopAnswer(problem)
        answer.add(identity)
        write(answer, context)
    }

    private func write(_ answer: consuming LoopAnswer, _ context: ChannelHandlerContext) {
        let closes = state.answerBegins(isDraining: setup.census.isDraining)
        let message = answer.message(closes: closes, leavesOutBody: isHeadRequest, date: setup.date.now())
        // Past the encoder, which has nothing to do here.
        write(message, endingAnswer: nil, context) { arrivals.write($0, promise: $1) }
        context.flush()
    }

    // MARK: Time

    /// Looks at the deadline from time to time, rather than set a timer for each request.
    private func watch(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        switch state.timeout(at: .now()) {
        case .wait(let next):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            timer = context.eventLoop.scheduleTask(deadline: next) {
                let (handler, context) = bound.value
                handler.timer = nil
                handler.watch(context)
            }
        case .refuse where state.phase == .readingHead:
            isHeadOverdue = true
            arrivals.giveUpHead()
            if state.phase == .readingHead { context.close(promise: nil) } else { watch(context) }
        case .refuse where isAnswerBegun: context.close(promise: nil)
        case .refuse(let problem):
            refuse(problem, closes: true, context)
            watch(context)
        case .close: context.close(promise: nil)
        }
    }
}

extension HTTPConnectionHandler: LoopConnection {
    var isWaiting: Bool { state.phase == .answering && context?.channel.isActive == true }

    func send(_ answer: consuming LoopAnswer) {
        guard let context, isWaiting else { return }
        write(answer, context)
    }
}

@available(*, unavailable)
extension HTTPConnectionHandler: Sendable {}
