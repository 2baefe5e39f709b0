import NIOCore

/// Answers requests on the event loop of their connections, those of one tick together.
protocol LoopResponder: Sendable {
    /// In which queue a request waits that may be one for this; what is not goes to the router.
    ///
    /// - Parameter head: The request's head.
    /// - Returns: The queue; `nil` when it is for the router.
    func queue(of head: RequestHead) -> AdmissionControl.Queue?

    /// Answers requests. It may stop after some of them, so that the event loop can look
    /// after its other connections.
    ///
    /// - Parameters:
    ///   - calls: The requests, one or more.
    ///   - loop: The event loop, on which this is called.
    /// - Returns: How many were answered or will be: the first ones, at least one.
    func answer(_ calls: [LoopCall], on loop: any EventLoop) -> Int
}
