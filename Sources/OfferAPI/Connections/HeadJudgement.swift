public import NIOCore

/// What a listener makes of a request when it knows the head alone.
public enum HeadJudgement: Equatable, Sendable {
    /// The body is worth reading.
    case admit(maximumBodyBytes: Int)
    /// The request is answered at once, or after a while to slow the client down, and its body is thrown away.
    case refuse(Problem, after: TimeAmount = .zero)
}
