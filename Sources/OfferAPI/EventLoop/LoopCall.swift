import NIOCore
import OfferService

/// A request that may be answered on the event loop of its connection, complete with its body.
///
/// It is a class so that handing it on copies nothing.
final class LoopCall {
    /// The request's head.
    let head: RequestHead
    /// The request's body.
    let body: ByteBuffer
    /// The place that the request holds until it is worked on.
    let progress: RequestProgress
    /// Where its answer goes.
    let connection: any LoopConnection
    /// Since when it waits.
    let watch = Stopwatch()

    /// By what it is known.
    var identity: RequestIdentity { head.identity }

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - body: The request's body.
    ///   - progress: The place that the request holds until it is worked on.
    ///   - connection: Where its answer goes.
    init(_ head: RequestHead, _ body: ByteBuffer, progress: RequestProgress, on connection: any LoopConnection) {
        self.head = head
        self.body = body
        self.progress = progress
        self.connection = connection
    }
}

@available(*, unavailable)
extension LoopCall: Sendable {}
