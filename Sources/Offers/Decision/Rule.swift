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

/// One pass through the rules of a policy, which ends at the first that refuses.
struct Examination<Reason: VerdictReason> {
    /// A rule's refusal, with what the rule saw.
    struct Refusal {
        let reason: Reason
        let saw: String
    }

    /// Every rule asked so far; `nil` when no explanation was asked for.
    private(set) var explanation: [RuleFinding]?

    init(explaining: Bool) {
        explanation = explaining ? [] : nil
    }

    /// Asks rules in their order.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - facts: What they look at.
    /// - Returns: The first refusal; `nil` when all let pass.
    mutating func refusal<Facts>(by rules: [Rule<Facts, Reason>], of facts: Facts) -> Refusal? {
        // Where they lie: copying a rule takes longer than most of them.
        let rules = rules.span
        for index in rules.indices {
            let reason = rules[index].refusal(facts)
            if reason == nil, explanation == nil { continue }
            let saw = rules[index].saw(facts)
            explanation?.append(RuleFinding(rule: rules[index].name, saw: saw, verdict: reason?.verdict ?? .eligible))
            if let reason { return Refusal(reason: reason, saw: saw) }
        }
        return nil
    }
}
