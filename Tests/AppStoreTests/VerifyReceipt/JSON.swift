/// A JSON value that a test can take apart and put together in another form.
indirect enum JSON {
    case string(String)
    case number(Int64)
    case object([(name: String, value: JSON)])
    case array([JSON])

    /// The value as text.
    var text: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .number(let number): String(number)
        case .object(let members): "{" + members.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        }
    }

    /// Every number as a string of its digits.
    var withNumbersAsStrings: JSON {
        switch self {
        case .string: self
        case .number(let number): .string(String(number))
        case .object(let members): .object(members.map { ($0.name, $0.value.withNumbersAsStrings) })
        case .array(let elements): .array(elements.map(\.withNumbersAsStrings))
        }
    }

    /// Every flag as `true` or `false`.
    var withFlagsAsWords: JSON {
        switch self {
        case .string, .number: self
        case .object(let members):
            .object(
                members.map { name, value in
                    guard case .number(let flag) = value, Self.flags.contains(name) else {
                        return (name, value.withFlagsAsWords)
                    }
                    return (name, .string(flag == 1 ? "true" : "false"))
                }
            )
        case .array(let elements): .array(elements.map(\.withFlagsAsWords))
        }
    }

    private static let flags = [
        "auto_renew_status", "is_in_billing_retry_period", "is_trial_period", "is_in_intro_offer_period", "is_upgraded",
    ]

    /// Every list and every object in another order.
    func shuffled(using generator: inout some RandomNumberGenerator) -> JSON {
        switch self {
        case .string, .number: return self
        case .object(let members):
            var shuffled: [(name: String, value: JSON)] = []
            for member in members { shuffled.append((member.name, member.value.shuffled(using: &generator))) }
            return .object(shuffled.shuffled(using: &generator))
        case .array(let elements):
            var shuffled: [JSON] = []
            for element in elements { shuffled.append(element.shuffled(using: &generator)) }
            return .array(shuffled.shuffled(using: &generator))
        }
    }

    /// The answer of a customer who bought coins too.
    var withConsumable: JSON {
        let coins = JSON.object([
            ("product_id", .string("coins")), ("transaction_id", .number(900)),
            ("original_transaction_id", .number(900)), ("purchase_date_ms", .number(1_795_262_300_000)),
            ("is_trial_period", .number(0)), ("quantity", .number(3)),
        ])
        func added(to value: JSON) -> JSON {
            guard case .array(let elements) = value else { return value }
            return .array([coins] + elements)
        }
        return changing("latest_receipt_info", added).changing("receipt") { $0.changing("in_app", added) }
    }

    /// The object without a member.
    func without(_ name: String) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name })
    }

    private func changing(_ name: String, _ change: (JSON) -> JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.map { ($0.name, $0.name == name ? change($0.value) : $0.value) })
    }
}

extension JSON {
    /// A verifyReceipt answer made up at random.
    static func answer(at now: Int64, using generator: inout some RandomNumberGenerator) -> JSON {
        var transactions: [JSON] = []
        var renewals: [JSON] = []
        for id in 0..<Int64.random(in: 0...3, using: &generator) {
            let count = Int.random(in: 0...3, using: &generator)
            let product =
                ["monthly", "monthly", "yearly", "news", "gone"].randomElement(using: &generator) ?? "monthly"
            for _ in 0..<count {
                transactions.append(transaction(of: id, product, at: now, using: &generator))
            }
            if Int.random(in: 0..<5, using: &generator) > 0 {
                renewals.append(renewal(of: id, product, at: now, using: &generator))
            }
        }
        return .object([
            ("status", .number(0)), ("environment", .string("Production")),
            (
                "receipt",
                .object([
                    ("bundle_id", .string("com.example.reader")), ("request_date_ms", .number(now)),
                    ("in_app", .array([])),
                ])
            ), ("latest_receipt_info", .array(transactions)), ("pending_renewal_info", .array(renewals)),
        ])
    }

    private static func transaction(
        of id: Int64,
        _ product: String,
        at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> JSON {
        // Few different days, so that ties occur.
        let day: Int64 = 86_400_000
        let bought = now - day * Int64.random(in: 0...9, using: &generator) * 10
        let expires = bought + day * Int64.random(in: 0...4, using: &generator) * 15
        var members: [(name: String, value: JSON)] = [
            ("original_transaction_id", .number(id)),
            ("transaction_id", .number(.random(in: 0...99, using: &generator))),
            ("product_id", .string(product)), ("purchase_date_ms", .number(bought)),
            ("expires_date_ms", .number(expires)),
        ]
        func sometimes(_ member: (name: String, value: JSON), oneIn chance: Int) {
            if Int.random(in: 0..<chance, using: &generator) == 0 { members.append(member) }
        }
        sometimes(("is_trial_period", .number(1)), oneIn: 6)
        sometimes(("is_upgraded", .number(1)), oneIn: 8)
        sometimes(("cancellation_date_ms", .number(now - day)), oneIn: 8)
        sometimes(("in_app_ownership_type", .string("FAMILY_SHARED")), oneIn: 6)
        sometimes(("promotional_offer_id", .string("once")), oneIn: 4)
        return .object(members)
    }

    private static func renewal(
        of id: Int64,
        _ product: String,
        at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> JSON {
        var members: [(name: String, value: JSON)] = [
            ("original_transaction_id", .number(id)), ("product_id", .string(product)),
            ("auto_renew_status", .number(.random(in: 0...1, using: &generator))),
        ]
        func sometimes(_ member: (name: String, value: JSON), oneIn chance: Int) {
            if Int.random(in: 0..<chance, using: &generator) == 0 { members.append(member) }
        }
        sometimes(("expiration_intent", .number(1)), oneIn: 3)
        sometimes(("is_in_billing_retry_period", .number(1)), oneIn: 4)
        sometimes(("grace_period_expires_date_ms", .number(now + 86_400_000)), oneIn: 5)
        sometimes(("promotional_offer_id", .string("once")), oneIn: 8)
        return .object(members)
    }
}

/// A generator that gives the same sequence in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
