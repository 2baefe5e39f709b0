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
