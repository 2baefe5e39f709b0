/// An answer that was kept, so that its signatures can be checked when the clock has stopped.
public struct AnswerSample: Sendable {
    /// What was asked.
    let request: RequestDeck.Place
    /// The body of the answer.
    let body: [UInt8]
}
