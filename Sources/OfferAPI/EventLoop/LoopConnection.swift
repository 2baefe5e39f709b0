/// A connection, as what answers its requests on the event loop sees it; all of it on that event loop.
protocol LoopConnection: AnyObject {
    /// Whether the client is still there and waits for an answer.
    var isWaiting: Bool { get }

    /// Sends the answer, unless the client was given another meanwhile, as its time was over.
    ///
    /// - Parameter answer: The answer.
    func send(_ answer: consuming LoopAnswer)
}
