/// An answer that was kept, so that its signatures can be checked when the clock has stopped.
public struct AnswerSample: Sendable {
    /// The request's place in the deck.
    let request: Int
    /// The body of the answer.
    let body: [UInt8]
}
