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
    private let queue: LoopQueue?
    private let arrivals: BytesArrivalHandler
    private var state: HTTPConnectionState
    private var context: ChannelHandlerContext?
    private var head: HTTPRequest?
    private var isHeadRequest = false
    private var body = ByteBuffer()
    private var isCounted = false
    private var isAnswerBegun = false
    private var timer: Scheduled<Void>?
    private var isHeadOverdue = false

    /// Creates the handler of a new connection.
    ///
    /// - Parameters:
    ///   - setup: What is the same for all connections of the listener.
    ///   - arrivals: What tells that bytes have come.
    ///   - progress: The place that a request holds until it is worked on.
    ///   - queue: Where requests wait that are answered on the event loop; `nil` when everything goes to the router.
    init(
        _ setup: HTTPConnectionSetup,
        arrivals: BytesArrivalHandler,
        progress: RequestProgress,
        queue: LoopQueue? = nil
    ) {
        self.queue = queue
        self.setup = setup
        self.arrivals = arrivals
        self.progress = progress
        state = HTTPConnectionState(limits: setup.limits, isSecure: setup.isSecure, now: .now())
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
        countAsEnded()
        progress.end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is BytesArrived: state.bytesArrived(at: .now())
        case TLSUserEvent.handshakeCompleted:
            state.handshakeCompleted(at: .now())
            context.fireUserInboundEventTriggered(event)
        case ChannelEvent.inputClosed:
            if state.inputClosed() { context.close(promise: nil) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is HTTPParserError where isHeadOverdue && canRefuse: refuse(.requestTimeout, closes: true, context)
        case HTTPParserError.headerOverflow where canRefuse:
            refuse(.headersTooLarge(limit: setup.limits.maximumHeaderBytes), closes: true, context)
        case is HTTPParserError where canRefuse:
            refuse(.malformedHTTP("This is not HTTP/1.1 (RFC 9112)."), closes: true, context)
        default: context.close(promise: nil)
        }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): read(head, context)
        case .body(var piece): read(&piece, context)
        case .end:
            guard state.requestEnded(at: .now()), let head else { return }
            guard progress.enter() else { return refuse(.overloaded, closes: false, context) }
            let body = body
            self.head = nil
            self.body = ByteBuffer()
            if let queue, queue.takes(head) {
                queue.add(LoopCall(head, body, progress: progress, on: self))
            } else {
                context.fireChannelRead(wrapInboundOut(.head(head)))
                if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
                context.fireChannelRead(wrapInboundOut(.end(nil)))
            }
        }
    }

    private func read(_ oldHead: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isHeadRequest = oldHead.method == .HEAD
        let keepsAlive = HTTPHeadRules.keepsAlive(oldHead)
        let length = HTTPHeadRules.contentLength(of: oldHead)
        let hasBody = length.map { $0 > 0 } ?? oldHead.headers.contains(name: "transfer-encoding")
        let awaitsContinue = hasBody && HTTPHeadRules.awaitsContinue(oldHead)
        // What is left of a refused request is waited for, unless it is long or may never come.
        let isLong = (length ?? 0) > setup.limits.maximumBodyBytes
        let closes = !keepsAlive || isLong || awaitsContinue
        if let problem = HTTPHeadRules.fault(of: oldHead) { return refuse(problem, closes: true, context) }
        guard let head = try? HTTPRequest(oldHead, secure: setup.isSecure, splitCookie: false) else {
            return refuse(.malformedHTTP("The method or the path is not of HTTP (RFC 9110)."), closes: true, context)
        }
        self.head = head
        if setup.admission?.hasRoom == false { return refuse(.overloaded, closes: closes, context) }
        switch setup.judge(head, context.remoteAddress) {
        case .refuse(let problem, let delay): refuse(problem, after: delay, closes: closes, context)
        case .admit(let limit):
            if let length, length > limit { return refuse(.bodyTooLarge(limit: limit), closes: true, context) }
            state.admitted(maximumBodyBytes: limit, keepsAlive: keepsAlive, at: .now())
            countAsBegun()
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
        if mode == .input, state.isInRequest {
            setup.census.requestCutOff()
            if !isAnswerBegun { refuse(.shuttingDown, closes: true, context) }
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
        countAsEnded()
        isAnswerBegun = false
        // First of all, as the next request may come while the end is written.
        guard state.answerEnded(at: .now()) else {
            context.write(wrapOutboundOut(.end(nil)), promise: promise)
            return
        }
        let promise = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { [linger = setup.limits.lingerTimeout] _ in
            bound.value.close(mode: .output, promise: nil)
            _ = bound.value.eventLoop.scheduleTask(in: linger) { bound.value.close(promise: nil) }
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
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
        let identity = RequestIdentity(head?.headerFields ?? [:])
        setup.noteRefusal(head, identity, problem)
        head = nil
        body = ByteBuffer()
        state.refused(closes: closes, at: .now())
        countAsBegun()
        guard delay > .zero else { return answer(problem, to: identity, context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        _ = context.eventLoop.scheduleTask(in: delay) {
            let (handler, context) = bound.value
            if handler.state.isInRequest { handler.answer(problem, to: identity, context) }
        }
    }

    private func answer(_ problem: Problem, to identity: RequestIdentity, _ context: ChannelHandlerContext) {
        var answer = LoopAnswer(problem)
        answer.add(identity.fields)
        write(answer, context)
    }

    private func write(_ answer: LoopAnswer, _ context: ChannelHandlerContext) {
        var head = answer.head
        head.headers.add(name: "Date", value: HTTPDate.now())
        write(head, promise: nil, context)
        if !isHeadRequest {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
        }
        writeEnd(promise: nil, context)
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

    private func countAsBegun() {
        guard !isCounted else { return }
        isCounted = true
        setup.census.requestBegan()
    }

    private func countAsEnded() {
        guard isCounted else { return }
        isCounted = false
        setup.census.requestEnded()
    }
}

extension HTTPConnectionHandler: LoopConnection {
    var isWaiting: Bool { state.phase == .answering && context?.channel.isActive == true }

    func send(_ answer: LoopAnswer) {
        guard let context, isWaiting else { return }
        write(answer, context)
    }
}

@available(*, unavailable)
extension HTTPConnectionHandler: Sendable {}
