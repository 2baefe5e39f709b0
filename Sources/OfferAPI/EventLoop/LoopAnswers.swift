/// What a listener answers on the event loops of its connections, without a task.
public struct LoopAnswers: Sendable {
    /// Answers the requests.
    let responder: any LoopResponder

    /// Wraps what answers.
    ///
    /// - Parameter responder: Answers the requests.
    init(_ responder: any LoopResponder) {
        self.responder = responder
    }
}
