/// One rule of a policy: it looks at facts, and refuses or lets pass.
///
/// What it saw is put into words only for the rule that decides, and for all of them where an explanation is asked for.
struct Rule<Facts, Reason: VerdictReason>: Sendable {
    /// The rule's name in explanations.
    let name: String
    /// The reason to refuse; `nil` to let pass.
    let refusal: @Sendable (Facts) -> Reason?
    /// What it saw, in a sentence or two that a support person can read aloud.
    let saw: @Sendable (Facts) -> String

    init(
        _ name: String,
        refusal: @escaping @Sendable (Facts) -> Reason?,
        saw: @escaping @Sendable (Facts) -> String
    ) {
        self.name = name
        self.refusal = refusal
        self.saw = saw
    }
}
