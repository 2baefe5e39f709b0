/// A reason that stands for a verdict.
public protocol VerdictReason: Hashable, Sendable {
    /// The verdict that the reason belongs to.
    var verdict: Verdict { get }
}
