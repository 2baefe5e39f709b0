package import Offers

/// Decides about customers by two catalogs at one moment, as a request without evidence would be, and counts the differences.
///
/// It signs, records and remembers nothing.
package struct CatalogTrial: Sendable {
    /// An app by the catalog that is in use, and by the other one; `nil` where a catalog lacks it.
    private struct Apps: Sendable {
        let before: App?
        let with: App?
        /// The offers of either catalog, each with its place among all rows; the same of both are decided once.
        let offers: [(request: OfferRequest, row: Int, isSame: Bool)]
        /// The offers that the catalog in use decides, and those that the other one decides.
        let all: [Asked]
        let others: [Asked]

        init(before: App?, with: App?, offers: [(request: OfferRequest, row: Int, isSame: Bool)]) {
            self.before = before
            self.with = with
            self.offers = offers
            all = offers.map { Asked(request: $0.request, isListed: before?.has($0.request) ?? false) }
            others = offers.filter { !$0.isSame }.map {
                Asked(request: $0.request, isListed: with?.has($0.request) ?? false)
            }
        }
    }

    /// An offer that is decided by a catalog, and whether that has it.
    fileprivate struct Asked: Sendable {
        let request: OfferRequest
        let isListed: Bool
    }

    /// An offer of either catalog.
    package struct Offer: Sendable {
        package let bundleId: String
        package let request: OfferRequest
        package let isBefore: Bool
        package let isWith: Bool
    }

    package typealias Ledger = @Sendable ([LedgerQuestion]) async throws(StorageFailure) -> [LedgerAnswer]

    /// In the order of the catalogs.
    package let offers: [Offer]
    private let apps: [String: Apps]
    private let now: Timestamp
    private let draw: any HoldoutDraw
    private let ask: Ledger

    /// Takes the offers that are asked about; `nil` for all.
    package init(
        before: [App],
        with: [App],
        only asked: Set<OfferRequest>?,
        at now: Timestamp,
        drawingBy draw: any HoldoutDraw,
        asking ask: @escaping Ledger
    ) {
        self.now = now
        self.draw = draw
        self.ask = ask
        var offers: [Offer] = []
        var apps: [String: Apps] = [:]
        for id in before.map(\.bundleId) + with.map(\.bundleId) where apps[id] == nil {
            let (old, new) = (before.first { $0.bundleId == id }, with.first { $0.bundleId == id })
            let (oldOffers, newOffers) = (old?.offers ?? [], new?.offers ?? [])
            let all = oldOffers + newOffers.filter { !Set(oldOffers).contains($0) }
            let isSameBeside = old.map { old in new.map { old.isSame(as: $0) } ?? false } ?? false
            let rows = all.filter { asked?.contains($0) ?? true }.map { request in
                offers.append(
                    Offer(
                        bundleId: id,
                        request: request,
                        isBefore: oldOffers.contains(request),
                        isWith: newOffers.contains(request)
                    )
                )
                return (request, offers.count - 1, isSameBeside && old?.offer(request) == new?.offer(request))
            }
            apps[id] = Apps(before: old, with: new, offers: rows)
        }
        self.offers = offers
        self.apps = apps
    }

    /// Decides about customers, and counts.
    package func tally(_ customers: [HeldCustomer]) async throws(StorageFailure) -> TrialTally {
        var tally = TrialTally(rows: offers.count)
        var trials: [(apps: Apps, before: TriedCustomer, with: TriedCustomer)] = []
        var questions: [LedgerQuestion] = []
        for customer in customers {
            guard let apps = apps[customer.bundleId] else { continue }
            tally.customers += 1
            // By both catalogs or by neither: else an unknown limit would look like a gain.
            let isLimitUnknown = customer.hasUnknownLimits(by: [apps.before, apps.with])
            if isLimitUnknown { tally.limitsUnknown += 1 }
            let draw = isLimitUnknown ? nil : draw
            let before = TriedCustomer(customer, by: apps.before, about: apps.all, at: now, drawingBy: draw)
            let with = TriedCustomer(customer, by: apps.with, about: apps.others, at: now, drawingBy: draw)
            questions += [before.question, with.question].compactMap(\.self)
            trials.append((apps, before, with))
        }
        var answers = try await ask(questions)[...]
        for index in trials.indices {
            // In place: copies of policies took a twentieth of a trial.
            if trials[index].before.question != nil, let answer = answers.popFirst() {
                trials[index].before.consider(answer)
            }
            if trials[index].with.question != nil, let answer = answers.popFirst() {
                trials[index].with.consider(answer)
            }
            let apps = trials[index].apps
            var others = trials[index].with.outcomes[...]
            for (offer, outcome) in zip(apps.offers, trials[index].before.outcomes) {
                tally.add(outcome, offer.isSame ? outcome : others.popFirst() ?? outcome, at: offer.row)
            }
        }
        return tally
    }
}

/// The outcome of one offer for one customer, by one catalog.
package enum TrialOutcome: Hashable, Sendable {
    case decided(Reason)
    /// A request without an account is refused.
    case accountRequired

    package var text: String {
        switch self {
        case .decided(let reason): reason.rawValue
        case .accountRequired: "account_required"
        }
    }

    var isEligible: Bool { if case .decided(let reason) = self { reason.verdict == .eligible } else { false } }
}

/// A customer by one catalog.
private struct TriedCustomer {
    private(set) var outcomes: [TrialOutcome]
    private(set) var question: LedgerQuestion?
    private var policy: OfferPolicy?
    /// The offers, and their places, whose decisions depend on the ledger.
    private var open: [(place: Int, request: OfferRequest)] = []

    /// Without a draw, limits and holdouts are not known.
    init(
        _ customer: HeldCustomer,
        by app: App?,
        about offers: [CatalogTrial.Asked],
        at now: Timestamp,
        drawingBy draw: (any HoldoutDraw)?
    ) {
        outcomes = Array(repeating: .decided(.offerNotInCatalog), count: offers.count)
        guard let app else { return }
        guard customer.account != nil || !app.requiresAccount else {
            for (place, offer) in offers.enumerated() where offer.isListed { outcomes[place] = .accountRequired }
            return
        }
        let view = customer.account.map(AccountView.init(knownBy:)) ?? AccountView()
        guard !offers.isEmpty else { return }
        var policy = OfferPolicy(
            app: app,
            customer: Customer(
                account: view.account,
                book: Book(held: customer.held, of: app, for: view, asking: customer.originalTransactionId),
                beside: customer.held,
                of: app,
                in: app.environments,
                for: view,
                knownAccount: customer.account
            ),
            now: now,
            maximumEvidenceAgeSeconds: 0,
            heldAge: .any(countsAccounts: true),
            drawingBy: draw
        )
        for (place, offer) in offers.enumerated() where offer.isListed {
            let decision = policy.decide(offer.request)
            outcomes[place] = .decided(decision.reason)
            if draw != nil, policy.dependsOnLedger(decision, about: offer.request) {
                open.append((place, offer.request))
            }
        }
        question = policy.question(about: open.map(\.request), decided: nil, at: now)
        guard question != nil else { return }
        question?.customerDigest = customer.account
        self.policy = policy
    }

    /// Decides once more what depends on the ledger, by what that counts.
    mutating func consider(_ answer: LedgerAnswer) {
        guard !answer.isSilent, var policy else { return }
        self.policy = nil
        policy.consider(answer)
        for (place, request) in open { outcomes[place] = .decided(policy.decide(request).reason) }
    }
}

extension HeldCustomer {
    /// Whether the customer may be a part of the account's name by one of the catalogs, which nobody knows here.
    fileprivate func hasUnknownLimits(by apps: [App?]) -> Bool {
        guard let account, apps.contains(where: { $0?.customerSeparator != nil }) else { return false }
        // An account that Apple names is a UUID, and all of it is the customer.
        return !held.chapters.contains { $0.isBought(by: account) }
    }
}

extension App {
    fileprivate func has(_ request: OfferRequest) -> Bool { offer(request) != nil }

    fileprivate func offer(_ request: OfferRequest) -> PromotionalOffer? {
        product(request.productId)?.product.offer(request.offerId)
    }

    /// Whether nothing beside the offers differs that a decision looks at.
    fileprivate func isSame(as other: App) -> Bool {
        environments == other.environments && requiresAccount == other.requiresAccount
            && customerSeparator == other.customerSeparator
            && maximumAccountsPerTransaction == other.maximumAccountsPerTransaction
            && subscriptionGroups.map(\.id) == other.subscriptionGroups.map(\.id)
            && subscriptionGroups.map { $0.products.map(\.id) }
                == other.subscriptionGroups.map { $0.products.map(\.id) }
    }
}

/// The counts of a trial, for each offer.
package struct TrialTally: Sendable {
    package struct Move: Hashable, Sendable {
        package let from: TrialOutcome
        package let to: TrialOutcome
    }

    package struct Row: Sendable {
        package fileprivate(set) var before = 0
        package fileprivate(set) var with = 0
        package fileprivate(set) var gained = 0
        package fileprivate(set) var lost = 0
        /// How many customers get another reason, by both reasons.
        package fileprivate(set) var moves: [Move: Int] = [:]
    }

    package fileprivate(set) var customers = 0
    /// Of these, those whose limits and holdouts are not known.
    package fileprivate(set) var limitsUnknown = 0
    package private(set) var rows: [Row]

    package init(rows: Int) { self.rows = Array(repeating: Row(), count: rows) }

    fileprivate mutating func add(_ before: TrialOutcome, _ with: TrialOutcome, at row: Int) {
        if before.isEligible { rows[row].before += 1 }
        if with.isEligible { rows[row].with += 1 }
        if with.isEligible, !before.isEligible { rows[row].gained += 1 }
        if before.isEligible, !with.isEligible { rows[row].lost += 1 }
        if before != with { rows[row].moves[Move(from: before, to: with), default: 0] += 1 }
    }

    package mutating func add(_ other: TrialTally) {
        customers += other.customers
        limitsUnknown += other.limitsUnknown
        for (place, row) in other.rows.enumerated() {
            rows[place].before += row.before
            rows[place].with += row.with
            rows[place].gained += row.gained
            rows[place].lost += row.lost
            rows[place].moves.merge(row.moves, uniquingKeysWith: +)
        }
    }
}
