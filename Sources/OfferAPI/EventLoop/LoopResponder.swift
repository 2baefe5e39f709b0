import NIOCore

/// Answers requests on the event loop of their connections, those of one tick together.
protocol LoopResponder: Sendable {
    /// Whether a request may be one for this; what is not goes to the router.
    ///
    /// - Parameter head: The request's head, which has been judged.
    /// - Returns: `true` when it may be.
    func takes(_ head: RequestHead) -> Bool

    /// Answers requests. It may stop after some of them, so that the event loop can look
    /// after its other connections.
    ///
    /// - Parameters:
    ///   - calls: The requests, one or more.
    ///   - loop: The event loop, on which this is called.
    /// - Returns: How many were answered or will be: the first ones, at least one.
    func answer(_ calls: [LoopCall], on loop: any EventLoop) -> Int
}
