/// Walks the rules of an app for one customer: the first that fits counts.
///
/// It may be asked to go on behind a rule, where the ledger refused the proposal of that one.
package struct RetentionPolicy: Sendable {
    /// A rule that fits.
    package struct Choice: Equatable, Sendable {
        /// The rule's place, from 0.
        package let index: Int
        /// The message's identifier at Apple.
        package let messageIdentifier: String
        package let proposal: Proposal
    }

    /// The part shown beside the message of a rule that fits.
    package enum Proposal: Equatable, Sendable {
        case message
        case switchTo(productId: String, billingPlanType: RetentionRule.BillingPlanType?)
        /// An offer that the customer may have, with the reason.
        case offer(OfferRequest, Decision)
    }

    /// The demand of a rule, and its facts.
    package struct Finding: Equatable, Sendable {
        /// The rule's place, from 0.
        package let index: Int
        /// The customers it is for, and its proposal.
        package let wanted: String
        /// The facts in a sentence.
        package let saw: String
        package let fits: Bool
        /// The decision about its offer; `nil` where it has none, or none was asked about.
        package let decision: Decision?
    }

    /// In their order, so far.
    package private(set) var decided: [(offer: OfferRequest, decision: Decision)] = []

    private let app: App
    private let rules: [RetentionRule]
    private let productId: String
    private let locale: String?
    private let isKnown: Bool
    private let signsOffers: Bool
    private var offers: OfferPolicy

    /// Remembered state may be as old as `maximumHeldAgeSeconds` once the paid time is over; 0 for no limit.
    ///
    /// Without `signsOffers`, rules with an offer do not fit.
    package init(
        _ rules: [RetentionRule],
        of app: App,
        productId: String,
        locale: String?,
        customer: RetentionCustomer,
        now: Timestamp,
        maximumHeldAgeSeconds: Int64,
        signsOffers: Bool = true,
        drawingBy draw: (any HoldoutDraw)? = nil
    ) {
        self.rules = rules
        self.app = app
        self.productId = productId
        self.locale = locale
        self.signsOffers = signsOffers
        isKnown = customer.book != nil
        offers = OfferPolicy(
            app: app,
            customer: Customer(
                account: .none,
                book: customer.book,
                knownAccount: customer.account,
                isNamed: customer.isNamed
            ),
            now: now,
            maximumEvidenceAgeSeconds: maximumHeldAgeSeconds,
            heldAge: .whilePaid(maximumHeldAgeSeconds),
            drawingBy: draw
        )
    }

    /// The first rule that fits, from a place on; `nil` where none does.
    package mutating func choice(from start: Int = 0) -> Choice? {
        for index in rules.indices.dropFirst(start) {
            if let proposal = ask(rules[index], explaining: false).proposal {
                return choice(of: index, proposal)
            }
        }
        return nil
    }

    /// The first rule that fits, with a finding for each rule that was asked until then.
    package mutating func explainedChoice() -> (choice: Choice?, findings: [Finding]) {
        var findings: [Finding] = []
        for (index, rule) in rules.enumerated() {
            let answer = ask(rule, explaining: true)
            findings.append(
                Finding(
                    index: index,
                    wanted: rule.phrase,
                    saw: answer.saw,
                    fits: answer.proposal != nil,
                    decision: answer.decision
                )
            )
            if let proposal = answer.proposal { return (choice(of: index, proposal), findings) }
        }
        return (nil, findings)
    }

    /// The question to the ledger about offers that customers of the product may get to; `nil` where none has a limit.
    ///
    /// An explanation has to know of the limits.
    package mutating func question(about account: AccountDigest?, at now: Timestamp) -> LedgerQuestion? {
        let named = rules.compactMap { rule in rule.offer(for: productId) }
        var question = offers.question(about: named, decided: nil, at: now)
        question?.knownAccount = account
        return question
    }

    package mutating func consider(_ ledgerAnswer: LedgerAnswer) { offers.consider(ledgerAnswer) }

    /// The grant with the limit under which it may leave.
    package mutating func grant(
        of offer: OfferRequest,
        _ reason: Reason,
        signature: OfferGrant.Signature
    ) -> OfferGrant {
        offers.grant(of: offer, reason, signatures: [signature])
    }

    /// Without a proposal where the rule does not fit.
    private typealias Answer = (proposal: Proposal?, saw: String, decision: Decision?)

    private func choice(of index: Int, _ proposal: Proposal) -> Choice {
        Choice(
            index: index,
            messageIdentifier: rules[index].message.identifier(for: locale).identifier,
            proposal: proposal
        )
    }

    /// Puts the finding into words only where somebody reads them.
    private mutating func ask(_ rule: RetentionRule, explaining: Bool) -> Answer {
        func words(_ text: @autoclosure () -> String) -> String { explaining ? text() : "" }
        if let products = rule.products, !products.contains(productId) {
            return (nil, words("The customer has \(productId)."), nil)
        }
        switch rule.proposal {
        case .message:
            return (.message, words("The customer has \(productId)."), nil)
        case .switchTo(let other, let plan):
            guard app.areSwitchable(productId, other) else {
                let reason =
                    productId == other
                    ? "The customer has \(other) already." : "\(productId) and \(other) are not of one group."
                return (nil, words(reason), nil)
            }
            let saw = words("The customer has \(productId), of the same group.")
            return (.switchTo(productId: other, billingPlanType: plan), saw, nil)
        case .offer(let id, let named):
            if let named, named != productId, !app.areSwitchable(productId, named) {
                return (nil, words("\(productId) and \(named) are not of one group."), nil)
            }
            guard signsOffers else { return (nil, words("Nothing is signed now: the service's clock is wrong."), nil) }
            let offer = OfferRequest(productId: named ?? productId, offerId: id)
            let decision = offers.decide(offer, explaining: explaining)
            decided.append((offer, decision))
            let saw = isKnown ? decision.detail : "Nothing is remembered of the subscription: it gets no offer."
            guard decision.verdict == .eligible else { return (nil, words(saw), decision) }
            return (.offer(offer, decision), words(saw), decision)
        }
    }
}

extension RetentionRule {
    /// The offer to a customer of a product; `nil` where the rule has none, or is not for them.
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
