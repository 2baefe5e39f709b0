import NIOCore

/// A request that is ready to be sent, and what its answer has to be.
struct LoadRequest: Sendable {
    /// Head and body.
    let bytes: ByteBuffer
    /// The kind of evidence: its place in the deck's ``RequestDeck/kinds``.
    let kind: Int
    /// What the answer has to be.
    let expected: ExpectedAnswer
}
