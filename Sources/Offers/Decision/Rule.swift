/// One rule of a policy: it looks at facts, and refuses or lets pass.
///
/// Only the deciding rule puts its facts into words; with an explanation, every rule does.
struct Rule<Facts, Reason: VerdictReason>: Sendable {
    /// The rule's name in explanations: the catalog's key where it is about one.
    let name: String
    /// The demand on a customer, a sentence; `nil` where another policy's rule of this name has it.
    let wants: String?
    /// The catalog's key; `nil` for a rule that holds without one.
    let key: OfferKey?
    /// `nil` to let pass.
    let refusal: @Sendable (Facts) -> Reason?
    /// The facts of the rule, in a sentence or two that a support person can read aloud.
    let saw: @Sendable (Facts) -> String

    init(
        _ name: String,
        wants: String? = nil,
        refusal: @escaping @Sendable (Facts) -> Reason?,
        saw: @escaping @Sendable (Facts) -> String
    ) {
        self.name = name
        self.wants = wants
        key = nil
        self.refusal = refusal
        self.saw = saw
    }

    init(
        _ key: OfferKey,
        wants: String,
        refusal: @escaping @Sendable (Facts) -> Reason?,
        saw: @escaping @Sendable (Facts) -> String
    ) {
        name = key.name
        self.wants = wants
        self.key = key
        self.refusal = refusal
        self.saw = saw
    }
}

/// One pass through the rules of a policy, which ends at the first that refuses.
struct Examination<Reason: VerdictReason> {
    struct Refusal {
        let reason: Reason
        let saw: String
    }

    /// Every rule asked so far; `nil` when no explanation was asked for.
    private(set) var explanation: [RuleFinding]?

    init(explaining: Bool) {
        explanation = explaining ? [] : nil
    }

    /// The first refusal; `nil` when all let pass.
    mutating func refusal<Facts>(by rules: [Rule<Facts, Reason>], of facts: Facts) -> Refusal? {
        // A span avoids copies: copying a rule takes longer than evaluating most of them.
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
