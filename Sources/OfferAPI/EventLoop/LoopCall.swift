import HTTPTypes
import NIOCore
import OfferService

/// A request that may be answered on the event loop of its connection, complete with its body.
struct LoopCall {
    /// The request's head.
    let head: HTTPRequest
    /// The request's body.
    let body: ByteBuffer
    /// The place that the request holds until it is worked on.
    let progress: RequestProgress
    /// Where its answer goes.
    let connection: any LoopConnection
    /// By what it is known.
    let identity: RequestIdentity
    /// Since when it waits.
    let watch = Stopwatch()

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - body: The request's body.
    ///   - progress: The place that the request holds until it is worked on.
    ///   - connection: Where its answer goes.
    init(_ head: HTTPRequest, _ body: ByteBuffer, progress: RequestProgress, on connection: any LoopConnection) {
        self.head = head
        self.body = body
        self.progress = progress
        self.connection = connection
        identity = RequestIdentity(head.headerFields)
    }
}

/// A connection, as what answers its requests on the event loop sees it; all of it on that event loop.
protocol LoopConnection: AnyObject {
    /// Whether the client is still there and waits for an answer.
    var isWaiting: Bool { get }

    /// Sends the answer, unless the client was given another meanwhile, as its time was over.
    ///
    /// - Parameter answer: The answer.
    func send(_ answer: LoopAnswer)
}
