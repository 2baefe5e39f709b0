/// Walks the rules of an app for one customer: the first that fits counts.
///
/// It may be asked to go on behind a rule, where the ledger refused what that one proposed.
package struct RetentionPolicy: Sendable {
    /// A rule that fits.
    package struct Choice: Equatable, Sendable {
        /// The rule's place, from 0.
        package let index: Int
        /// The message's identifier at Apple.
        package let messageIdentifier: String
        /// The part shown beside it.
        package let proposal: Proposal
    }

    /// The part shown beside the message of a rule that fits.
    package enum Proposal: Equatable, Sendable {
        /// Nothing.
        case message
        /// Another product.
        case switchTo(productId: String, billingPlanType: RetentionRule.BillingPlanType?)
        /// An offer that the customer may have, with the reason.
        case offer(OfferRequest, Decision)
    }

    /// The demand of a rule, and the facts that it saw.
    package struct Finding: Equatable, Sendable {
        /// The rule's place, from 0.
        package let index: Int
        /// The customers it is for, and its proposal.
        package let wanted: String
        /// The facts that it saw, in a sentence.
        package let saw: String
        /// Whether it fits.
        package let fits: Bool
        /// The decision about its offer; `nil` where it has none, or none was asked about.
        package let decision: Decision?
    }

    /// The decisions about offers so far, in their order.
    package private(set) var decided: [(offer: OfferRequest, decision: Decision)] = []

    private let app: App
    private let rules: [RetentionRule]
    private let productId: String
    private let locale: String?
    private let isKnown: Bool
    private var offers: OfferPolicy

    /// Prepares to walk.
    ///
    /// - Parameters:
    ///   - rules: The app's rules.
    ///   - app: The app.
    ///   - productId: The product that the customer has.
    ///   - locale: The customer's locale.
    ///   - customer: What is remembered of the customer.
    ///   - now: The server's clock.
    ///   - maximumHeldAgeSeconds: How old what is remembered may be once the paid time is over, in seconds; 0 for no limit.
    package init(
        _ rules: RetentionRules,
        of app: App,
        productId: String,
        locale: String?,
        customer: RetentionCustomer,
        now: Timestamp,
        maximumHeldAgeSeconds: Int64
    ) {
        self.rules = rules.inOrder
        self.app = app
        self.productId = productId
        self.locale = locale
        isKnown = customer.history != nil
        offers = OfferPolicy(
            app: app,
            customer: Customer(account: .none, history: customer.history),
            now: now,
            maximumEvidenceAgeSeconds: maximumHeldAgeSeconds,
            countsPaidTime: true
        )
    }

    /// Finds the first rule that fits.
    ///
    /// - Parameter start: The place of the first rule that is asked.
    /// - Returns: The rule; `nil` where none fits.
    package mutating func choice(from start: Int = 0) -> Choice? {
        for index in rules.indices.dropFirst(start) {
            if case .fits(let proposal) = ask(rules[index], explaining: false).outcome {
                return choice(of: index, proposal)
            }
        }
        return nil
    }

    /// Finds the first rule that fits, and says what each one saw until then.
    ///
    /// - Returns: The rule, and a finding for each rule that was asked.
    package mutating func explainedChoice() -> (choice: Choice?, findings: [Finding]) {
        var findings: [Finding] = []
        for (index, rule) in rules.enumerated() {
            let answer = ask(rule, explaining: true)
            var proposal: Proposal?
            if case .fits(let fitting) = answer.outcome { proposal = fitting }
            findings.append(
                Finding(
                    index: index,
                    wanted: rule.phrase,
                    saw: answer.saw,
                    fits: proposal != nil,
                    decision: answer.decision
                )
            )
            if let proposal { return (choice(of: index, proposal), findings) }
        }
        return (nil, findings)
    }

    /// The question to the ledger about the offers of the rules that customers of the product may get to: what an explanation
    /// has to know of limits.
    ///
    /// - Parameters:
    ///   - account: The account that has the subscription.
    ///   - now: The server's clock.
    /// - Returns: The question; `nil` where no offer has a limit.
    package mutating func question(about account: AccountDigest?, at now: Timestamp) -> LedgerQuestion? {
        let named = rules.compactMap { rule in rule.offer(for: productId) }
        return offers.question(about: named, decided: nil, at: now)?.counting(account)
    }

    /// Takes what the ledger holds of the customer into account.
    ///
    /// - Parameter ledgerAnswer: What it holds.
    package mutating func consider(_ ledgerAnswer: LedgerAnswer) { offers.consider(ledgerAnswer) }

    /// The grant that the ledger records for the offer of a rule that fits.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - reason: Why the customer may have it.
    ///   - signature: The signature.
    /// - Returns: The grant, with the limit under which it may leave.
    package mutating func grant(
        of offer: OfferRequest,
        _ reason: Reason,
        signature: OfferGrant.Signature
    ) -> OfferGrant {
        offers.grant(of: offer, reason, signatures: [signature])
    }

    private enum Outcome {
        case fits(Proposal)
        case doesNot
    }

    private typealias Answer = (outcome: Outcome, saw: String, decision: Decision?)

    private func choice(of index: Int, _ proposal: Proposal) -> Choice {
        Choice(
            index: index,
            messageIdentifier: rules[index].message.identifier(for: locale).identifier,
            proposal: proposal
        )
    }

    /// Asks one rule.
    ///
    /// The finding is put into words only where somebody reads them.
    private mutating func ask(_ rule: RetentionRule, explaining: Bool) -> Answer {
        func words(_ text: @autoclosure () -> String) -> String { explaining ? text() : "" }
        if let products = rule.products, !products.contains(productId) {
            return (.doesNot, words("The customer has \(productId)."), nil)
        }
        switch rule.proposal {
        case .message:
            return (.fits(.message), words("The customer has \(productId)."), nil)
        case .switchTo(let other, let plan):
            guard app.areSwitchable(productId, other) else {
                let reason =
                    productId == other
                    ? "The customer has \(other) already." : "\(productId) and \(other) are not of one group."
                return (.doesNot, words(reason), nil)
            }
            let saw = words("The customer has \(productId), of the same group.")
            return (.fits(.switchTo(productId: other, billingPlanType: plan)), saw, nil)
        case .offer(let id, let named):
            if let named, named != productId, !app.areSwitchable(productId, named) {
                return (.doesNot, words("\(productId) and \(named) are not of one group."), nil)
            }
            let offer = OfferRequest(productId: named ?? productId, offerId: id)
            let decision = offers.decide(offer, explaining: explaining)
            decided.append((offer, decision))
            let saw = isKnown ? decision.detail : "Nothing is remembered of the subscription: it gets no offer."
            guard decision.verdict == .eligible else { return (.doesNot, words(saw), decision) }
            return (.fits(.offer(offer, decision)), words(saw), decision)
        }
    }
}

extension RetentionRule {
    /// The offer that a customer of a product is proposed; `nil` where the rule has none, or is not for them.
    fileprivate func offer(for productId: String) -> OfferRequest? {
        guard case .offer(let id, let named) = proposal, products?.contains(productId) ?? true else { return nil }
        return OfferRequest(productId: named ?? productId, offerId: id)
    }

    /// The customers it is for, and its proposal.
    fileprivate var phrase: String {
        let who = products.map { "customers of \($0.sorted().enumeration)" } ?? "all customers"
        switch proposal {
        case .message: return "\(who): the message \(message.name)"
        case .offer(let id, let product):
            return "\(who): the offer \(id)\(product.map { " on \($0)" } ?? ""), with the message \(message.name)"
        case .switchTo(let product, let plan):
            let plan = plan.map { " (\($0.rawValue))" } ?? ""
            return "\(who): the switch to \(product)\(plan), with the message \(message.name)"
        }
    }
}
