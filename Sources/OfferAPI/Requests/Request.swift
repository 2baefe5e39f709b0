import HTTPTypes
import NIOCore
import OfferService

/// A request from its head to its answer, used on its connection's event loop alone.
///
/// It stores the gate's findings, so that its answer, its log line and its count are the same whatever becomes of it.
final class Request {
    let head: RequestHead
    private(set) var body: [UInt8] = []
    /// The call, by whose path it is counted; `nil` while none takes it.
    var call: Call?
    /// The token of its client; `nil` while nobody is known.
    var token: KnownToken?
    /// The configuration that was in use when its head came.
    var endpoints: PublicEndpoints?
    /// The moment at which it was complete.
    private(set) var completion = NIODeadline.distantPast

    private let connection: Connection
    private let watch = Stopwatch()
    private var place: Admission.Place?
    private var unfinishedBytes = 0
    private var isCounted = false
    private var isOpen = false
    private var isRecorded = false

    init(_ head: RequestHead, on connection: Connection) {
        self.head = head
        self.connection = connection
    }

    var client: Client? { token?.client }

    var identity: RequestIdentity { head.identity }

    /// The parameters of its URL, as its call allows them.
    func parameters() throws(Problem) -> QueryParameters {
        try QueryParameters(of: head.query, names: call?.parameters ?? [])
    }

    var loop: any EventLoop { connection.loop }

    /// Whether the client is still there and waits for an answer.
    var isWaiting: Bool { connection.isWaiting(for: self) }

    /// Whether it may wait longer: its client is there, and the service goes on.
    var mayWait: Bool { isWaiting && !connection.setup.census.isDraining }

    /// How long its answer may take, in seconds.
    var answerSeconds: Int { Int(clamping: connection.setup.limits.answerTimeout.nanoseconds / 1_000_000_000) }

    // MARK: Its body

    /// Takes its share of its client's limits, a request and the announced bytes; throws 429 or 503.
    func begin() throws(Problem) {
        guard let client, let endpoints else { return }
        try endpoints.clients.begin(client)
        isCounted = true
        try reserve(head.contentLength ?? 0)
    }

    /// Acquires bytes until it has as many as its body; a body in chunks grows.
    private func reserve(_ count: Int) throws(Problem) {
        guard let token, count > unfinishedBytes else { return }
        try token.usage.acquire(unfinishedBytes: count - unfinishedBytes)
        unfinishedBytes = count
    }

    private func releaseBytes() {
        guard unfinishedBytes > 0 else { return }
        token?.usage.release(unfinishedBytes: unfinishedBytes)
        unfinishedBytes = 0
    }

    /// Adds a piece of its body; throws 429 or 503 where too much is on its way.
    func add(_ piece: ByteBuffer) throws(Problem) {
        try reserve(body.count + piece.readableBytes)
        if body.isEmpty, let length = head.contentLength { body.reserveCapacity(max(length, piece.readableBytes)) }
        body.append(contentsOf: piece.readableBytesView)
    }

    func complete(at moment: NIODeadline) {
        releaseBytes()
        completion = moment
    }

    // MARK: Its place

    /// Exchanges its place for another, or for none; `false`, and it has none any more, where there was no room.
    @discardableResult
    func move(to place: Admission.Place?) -> Bool {
        guard let admission = connection.setup.admission else { return true }
        if let former = self.place { admission.leave(former) }
        self.place = nil
        guard let place else { return true }
        guard admission.enter(place) else { return false }
        self.place = place
        return true
    }

    /// Begins its work, which goes on when its connection is gone.
    func open() { isOpen = true }

    // MARK: Its end

    func finish(_ result: Result<Reply, Problem>) {
        end()
        // A client that has gone, or got another answer at a time-out, gets none.
        guard isWaiting else { return record(nil) }
        var reply: Reply
        var reason: String?
        switch result {
        case .success(let answer): reply = answer
        case .failure(let problem): (reply, reason) = (Reply(problem), problem.reason)
        }
        reply.add(rateLimitFields)
        record(reply.status, code: reply.code, reason: reason)
        connection.send(reply, for: self)
    }

    var rateLimitFields: HTTPFields {
        guard let client, let endpoints else { return [:] }
        return endpoints.clients.rateLimitFields(of: client)
    }

    /// Refuses it before anything is done.
    func refuse(_ problem: Problem) {
        end()
        guard isWaiting else { return record(nil) }
        record(problem.status, code: problem.code)
        connection.send(problem == .overloaded ? .overloaded : Reply(problem), for: self)
    }

    /// Abandons it, as its client has gone.
    func abandon() {
        end()
        record(nil)
    }

    /// Its connection is gone, or has another answer: a request that has not begun is abandoned, others go on to their
    /// end.
    func connectionClosed() {
        if !isOpen { abandon() }
    }

    /// Counts it and writes its line, once; without an answer the status is `nil`, without a problem the code.
    func record(_ status: Int?, code: String? = nil, reason: String? = nil) {
        guard !isRecorded else { return }
        isRecorded = true
        connection.setup.telemetry?.record(
            identity,
            route: call?.path,
            status: status,
            client: token,
            nanoseconds: watch.nanoseconds,
            code: code,
            reason: reason,
            peer: connection.peer
        )
    }

    private func end() {
        move(to: nil)
        releaseBytes()
        guard isCounted, let client, let endpoints else { return }
        isCounted = false
        endpoints.clients.end(client)
    }

    // MARK: Waiting

    /// Gives its place to another request while it waits; `false`, and it is refused, where too many wait.
    @discardableResult
    func waitElsewhere() -> Bool {
        guard move(to: .elsewhere) else {
            refuse(.overloaded)
            return false
        }
        // It is read, and may be long.
        body = []
        return true
    }

    /// Waits for work in a task, and goes on on the event loop.
    func wait<Value: Sendable>(
        for work: @escaping @Sendable () async throws(Problem) -> Value,
        goOn: @escaping @Sendable (Request, Result<Value, Problem>) -> Void
    ) {
        guard waitElsewhere() else { return }
        let (loop, identity) = (connection.loop, identity)
        let bound = NIOLoopBound(self, eventLoop: loop)
        Task {
            let result: Result<Value, Problem> = await RequestIdentity.$current.withValue(identity) {
                do throws(Problem) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            loop.execute { goOn(bound.value, result) }
        }
    }

    /// Waits for work in a task, and is answered then.
    func wait(for work: @escaping @Sendable () async throws(Problem) -> Reply) {
        wait(for: work) { $0.finish($1) }
    }
}

@available(*, unavailable)
extension Request: Sendable {}
