/// The calls that decide about offers.
public enum DecisionCall: String, CaseIterable, Sendable {
    /// Decides, and signs where it may.
    case signatures
    /// Decides alone.
    case eligibility
}
