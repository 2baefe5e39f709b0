import NIOCore
import NIOHTTP1
import NIOTLS

/// Carries out the decisions of ``ConnectionState``; in the pipeline it comes after the HTTP/1.1 parser.
final class Connection: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    /// An outbound event: the time to finish requests at a stop is over.
    struct TimeIsOver: Sendable {}

    let setup: ConnectionSetup
    let loop: any EventLoop
    private var state: ConnectionState
    private var context: ChannelHandlerContext?
    /// The last request, while it has no answer.
    private var request: Request?
    /// The last head: the next one mostly has the same token, which need not be hashed again.
    private var latestHead: RequestHead?
    private var timer: Scheduled<Void>?
    private let isSpare: Bool
    /// The other protocol that the connection begins with; `nil` for HTTP/1.1, as nearly always.
    var foreignProtocol: ForeignProtocol?

    /// Creates the handler of a new connection; a spare connection is beyond the limit, and has one answer.
    init(_ setup: ConnectionSetup, on loop: any EventLoop, isSpare: Bool = false) {
        self.setup = setup
        self.loop = loop
        self.isSpare = isSpare
        state = ConnectionState(limits: setup.limits, isSecure: setup.tls != nil, now: .now())
    }

    var silentSince: NIODeadline? { state.silentSince }

    /// `nil` when the connection is gone.
    var channel: (any Channel)? { context?.channel }

    /// The address at the other end of the socket, maybe a proxy's; `nil` when the connection is gone.
    var peer: String? { context?.remoteAddress?.ipAddress }

    // MARK: Coming and going

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        setup.opened(self)
        if context.channel.isActive { watch(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) { watch(context) }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        setup.closed(self)
        request?.connectionClosed()
        request = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted: state.handshakeCompleted(at: .now())
        case ChannelEvent.inputClosed: receive(.end, context)
        case is ChannelShouldQuiesceEvent:
            setup.census.drain()
            switch state.serviceGoes(at: .now()) {
            case .close: context.close(promise: nil)
            case .linger: linger(context)
            case .finish: break
            }
        default: break
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is TimeIsOver else { return context.triggerUserOutboundEvent(event, promise: promise) }
        switch state.timeIsOver() {
        case .refuse(let isCutOff):
            if isCutOff { setup.census.requestCutOff() }
            refuse(.shuttingDown, closes: true, context)
        case .wait: break
        case .close: context.close(promise: nil)
        }
        promise?.succeed()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        state.isWritable = context.channel.isWritable
        if state.isWritable { release(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The parser repeats this for all bytes after its first error.
        if error is ByteToMessageDecoderError { return }
        guard let fault = error as? HTTPParserError else { return context.close(promise: nil) }
        receive(.fault(fault), context)
    }

    func bytesArrived() { state.bytesArrived(at: .now()) }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(.part(unwrapInboundIn(data)), context) }

    func read(context: ChannelHandlerContext) {
        if state.mayRead() { context.read() }
    }

    private func receive(_ input: ConnectionState.Input, _ context: ChannelHandlerContext) {
        if state.takes(input) { handle(input, context) }
    }

    /// Handles as much of the waiting input as may come now.
    private func release(_ context: ChannelHandlerContext) {
        // A request that is refused at once is answered within this loop, and calls this again.
        guard state.beginRelease() else { return }
        while let input = state.next() { handle(input, context) }
        if state.endRelease() { context.read() }
    }

    private func handle(_ input: ConnectionState.Input, _ context: ChannelHandlerContext) {
        switch input {
        case .part(.head(let sent)): begin(sent, context)
        case .part(.body(let piece)):
            switch state.bodyArrived(piece.readableBytes) {
            case .keep:
                do throws(Problem) {
                    try request?.add(piece)
                } catch {
                    refuse(error, closes: true, context)
                }
            case .drop: break
            case .refuse(let limit): refuse(.bodyTooLarge(limit: limit), closes: true, context)
            case .close: context.close(promise: nil)
            }
        case .part(.end):
            let now = NIODeadline.now()
            guard state.requestEnded(at: now), let request else { return }
            request.complete(at: now)
            setup.answer(request)
        case .fault(let fault):
            guard state.mayRefuse else { return context.close(promise: nil) }
            let problem = foreignProtocol.map { Problem.malformedHTTP($0.detail) }
            refuse(problem ?? Problem(fault, within: setup.limits), closes: true, context)
        case .end: if state.inputClosed(at: .now()) { closeBehindAnswers(context) }
        }
    }

    private func begin(_ sent: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard state.headArrived(asksForHeadAlone: sent.method == .HEAD) else { return }
        let head = RequestHead(sent, after: latestHead)
        latestHead = head
        let request = Request(head, on: self)
        self.request = request
        if let foreignProtocol { return refuse(.malformedHTTP(foreignProtocol.detail), closes: true, context) }
        if isSpare, !setup.sparePaths.contains(head.path ?? "") {
            return refuse(.tooManyConnections, closes: true, context)
        }
        switch setup.gate.judge(request) {
        case .refuse(let problem, let closes):
            // The connection stays open for the rest of a refused request, unless that is long or may never come.
            let isLong = head.contentLength ?? 0 > setup.limits.maximumBodyBytes
            let closes = closes || !head.keepsAlive || isLong || head.awaitsContinue
            refuse(problem, closes: closes, context)
        case .admit(let limit):
            state.admitted(maximumBodyBytes: limit, keepsAlive: head.keepsAlive && !isSpare, at: .now())
            guard head.awaitsContinue else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
    }

    // MARK: Answers

    /// Whether a request still waits for its answer here: `false` after a time-out, or when its client has gone.
    func isWaiting(for request: Request) -> Bool { self.request === request }

    func send(_ reply: Reply, for request: Request) {
        guard isWaiting(for: request), let context else { return }
        self.request = nil
        write(reply, to: request.identity, context)
    }

    private func refuse(_ problem: Problem, closes: Bool, _ context: ChannelHandlerContext) {
        let identity = request?.identity ?? RequestIdentity(RequestFields())
        var reply = problem == .overloaded ? Reply.overloaded : Reply(problem)
        if problem.status == 429, let request { reply.add(request.rateLimitFields) }
        if let request {
            request.record(problem.status, code: problem.code)
            request.connectionClosed()
        } else {
            setup.telemetry?.record(
                identity,
                route: nil,
                status: problem.status,
                client: nil,
                nanoseconds: 0,
                code: problem.code,
                peer: peer
            )
        }
        request = nil
        state.refused(closes: closes, at: .now())
        write(reply, to: identity, context)
    }

    /// Writes an answer: the one place that does.
    private func write(_ reply: Reply, to identity: RequestIdentity, _ context: ChannelHandlerContext) {
        let closes = state.answerBegins(isDraining: setup.census.isDraining)
        let message = reply.message(
            to: identity,
            closes: closes,
            leavesOutBody: state.asksForHeadAlone,
            date: setup.date.now(),
            more: setup.fields
        )
        var promise: EventLoopPromise<Void>?
        // Before the write, because the next request may come during it.
        if state.answerEnded(at: .now()) {
            promise = loop.makePromise()
            let bound = NIOLoopBound((self, context), eventLoop: loop)
            promise?.futureResult.whenComplete { _ in bound.value.0.linger(bound.value.1) }
        }
        context.write(wrapOutboundOut(message), promise: promise)
        release(context)
        context.flush()
    }

    /// Closes the sending side, and the whole connection after a while, so that the client can read the last answer.
    private func linger(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        let bound = NIOLoopBound(context, eventLoop: loop)
        _ = loop.scheduleTask(in: setup.limits.lingerTimeout) { bound.value.close(promise: nil) }
    }

    /// Closes the connection once the pending answers are written.
    private func closeBehindAnswers(_ context: ChannelHandlerContext) {
        let written = loop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: loop)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
    }

    // MARK: Time

    /// Checks the deadline from time to time: cheaper than a timer for each request.
    private func watch(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        switch state.timeout(at: .now()) {
        case .wait(let next):
            let bound = NIOLoopBound((self, context), eventLoop: loop)
            timer = loop.scheduleTask(deadline: next) {
                let (connection, context) = bound.value
                connection.timer = nil
                connection.watch(context)
            }
        case .refuse(let problem):
            refuse(problem, closes: true, context)
            watch(context)
        case .close: context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension Connection: Sendable {}
