import Offers

/// Finds a customer's purchases: in the evidence of a request, in the App Store's answer to it, and in held state.
struct CustomerHistories: Sendable {
    let reader: any EvidenceReader
    /// `nil` where the App Store is not asked.
    let fetcher: (any EvidenceFetcher)?
    /// `nil` where nothing is remembered.
    let memory: StateMemory?
    /// Knows which evidence is shared; `nil` where nobody does.
    let ledger: (any SignatureLedger)?
    let rooms: RoomMetrics
    /// The greatest age of held state; 0 for no limit.
    let maximumHeldAgeSeconds: Int64
    /// Whether the App Store is asked before an eligible answer that rests on signed transactions.
    let confirmsSignedTransactions: Bool
    let clock: ClockMonitor?
    let now: @Sendable () -> Timestamp

    /// The progress of a request before any look-up.
    enum Beginning: Sendable {
        /// The customer is known, and nothing is remembered beside the evidence.
        case known(KnownCustomer)
        /// Held state has to be put beside the evidence.
        case reading(Reading)
        /// The App Store has to be asked.
        case asking(@Sendable () async throws(SignatureFault) -> KnownCustomer)
        case refused(SignatureFault)
    }

    /// Evidence, and its question to the store of states: a reference, which is handed on without a copy.
    final class Reading: Sendable {
        private let evidence: SubscriptionHistory?
        private let source: EvidenceSource
        private let signing: SigningApp
        private let view: AccountView
        private let oldest: Timestamp?
        /// Whether the evidence was lately refused, as too many have shown it.
        private let isShared: Bool
        private let memory: StateMemory
        private let moment: Timestamp
        private let confirms: Bool
        let question: StateQuestion

        fileprivate init(
            _ evidence: SubscriptionHistory?,
            from source: EvidenceSource,
            for request: CustomerRequest,
            of signing: SigningApp,
            at moment: Timestamp,
            memory: StateMemory,
            ledger: (any SignatureLedger)?,
            maximumHeldAgeSeconds: Int64,
            confirms: Bool
        ) {
            self.confirms = confirms
            oldest = maximumHeldAgeSeconds > 0 ? moment.adding(seconds: -maximumHeldAgeSeconds) : nil
            self.evidence = evidence
            self.source = source
            self.moment = moment
            self.signing = signing
            view = memory.view(of: request.account, in: signing.app)
            self.memory = memory
            let named = evidence?.namedSubscriptions ?? []
            question = StateQuestion(bundleId: signing.app.bundleId, account: view.digest, subscriptions: named)
            isShared = ledger.map { named.contains(where: $0.isSuspect) } ?? false
        }

        /// Puts held state over the evidence where it is newer, and learns from the evidence.
        fileprivate func customer(with state: HeldState) -> KnownCustomer {
            let app = signing.app
            guard let evidence else {
                let history = SubscriptionHistory(held: state, of: app, for: view)
                return KnownCustomer(
                    of: signing,
                    history.map { SharedHistory($0) },
                    at: moment,
                    confirmed: confirms ? state.confirmed(since: oldest) : nil
                )
            }
            // Shared evidence ties nobody else to its subscriptions: the first accounts hold their places.
            let owner = isShared ? AccountView(.none, of: app.bundleId, digester: memory.digester) : view
            memory.learn(evidence, from: source, for: owner, of: app, beside: state, at: moment)
            var state = state
            if source != .client { state.leaveOutRedemptions(in: evidence) }
            let history = evidence.updated(by: state, for: view, since: oldest)
            return KnownCustomer(
                of: signing,
                SharedHistory(history),
                from: source,
                at: moment,
                confirmed: confirms
                    ? state.confirmed(since: oldest).union(source == .signature ? [] : evidence.subscriptionIds) : nil
            )
        }
    }

    /// The customers of requests, in their order, with one question to the store of states for all of them.
    func customers(_ begun: [Beginning]) -> Customers {
        let questions = begun.compactMap { if case .reading(let reading) = $0 { reading.question } else { nil } }
        guard let memory, !questions.isEmpty else { return .now(Self.customers(begun, with: [])) }
        if let states = memory.states.atHand(questions) {
            return .now(Self.customers(begun, with: states.map { .success($0) }))
        }
        return .later { Self.customers(begun, with: await memory.states.held(questions)) }
    }

    private static func customers(
        _ begun: [Beginning],
        with answers: [Result<HeldState, StorageFailure>]
    ) -> [CustomerStep] {
        var rest = answers[...]
        return begun.map { beginning in
            switch beginning {
            case .known(let customer): return .known(customer)
            case .asking(let work): return .later(work)
            case .refused(let fault): return .refused(fault)
            case .reading(let reading):
                guard case .success(let state) = rest.popFirst() else { return .refused(unreadable) }
                return .known(reading.customer(with: state))
            }
        }
    }

    /// Reads the evidence of a request for ``customers(_:)``, as far as that goes without the store of states.
    ///
    /// While the App Store is out of reach, held state answers in its place, but not for a purchase made just now.
    func begin(_ request: CustomerRequest, of signing: SigningApp) throws(SignatureFault) -> Beginning {
        let moment = now()
        guard case .question(let question) = request.evidence, let fetcher else {
            let source: EvidenceSource = request.evidence?.kind.isApplesWord == true ? .signature : .client
            let history = try read(request.evidence, at: moment)
            return beginning(with: history, from: source, for: request, of: signing, at: moment)
        }
        let watch = Stopwatch()
        let kept = fetcher.keptHistory(
            answering: question,
            for: signing.app.bundleId,
            needsWholeHistory: request.needsWholeHistory
        )
        guard let kept else {
            return .asking { () async throws(SignatureFault) in
                try await customer(asking: question, of: fetcher, for: request, of: signing)
            }
        }
        rooms.note(watch.nanoseconds, in: .evidence)
        do throws(EvidenceFault) { try refuseFuture(kept, at: moment) } catch { throw .evidence(error) }
        return beginning(with: kept, from: .appStore, for: request, of: signing, at: moment)
    }

    /// Asks the App Store for the history.
    private func customer(
        asking question: AppStoreQuestion,
        of fetcher: any EvidenceFetcher,
        for request: CustomerRequest,
        of signing: SigningApp
    ) async throws(SignatureFault) -> KnownCustomer {
        let answer: SubscriptionHistory
        let watch = Stopwatch()
        defer { rooms.note(watch.nanoseconds, in: .evidence) }
        do throws(EvidenceFault) {
            answer = try await fetcher.history(answering: question, for: request, of: signing.app)
            try refuseFuture(answer, at: now())
        } catch {
            // Held state is older than a purchase that was made just now.
            guard case .unavailable = error.kind, !question.isNew,
                let held = await held(instead: question, for: request.account, of: signing.app)
            else { throw .evidence(error) }
            return KnownCustomer(of: signing, held, at: now())
        }
        let begun = beginning(with: answer, from: .appStore, for: request, of: signing, at: now())
        return try await customers([begun]).value()[0].value()
    }

    /// Turns evidence into its question to the store of states.
    private func beginning(
        with history: SubscriptionHistory?,
        from source: EvidenceSource,
        for request: CustomerRequest,
        of signing: SigningApp,
        at moment: Timestamp
    ) -> Beginning {
        guard let memory else {
            return .known(KnownCustomer(of: signing, history.map { SharedHistory($0) }, from: source, at: moment))
        }
        return .reading(
            Reading(
                history,
                from: source,
                for: request,
                of: signing,
                at: moment,
                memory: memory,
                ledger: ledger,
                maximumHeldAgeSeconds: maximumHeldAgeSeconds,
                confirms: confirmsSignedTransactions && fetcher != nil
            )
        )
    }

    /// Asks the App Store about a customer known by a transaction that only a client's signed data names.
    func confirm(
        _ transaction: UnconfirmedTransaction,
        _ request: CustomerRequest,
        of customer: KnownCustomer
    ) async throws(SignatureFault) -> KnownCustomer {
        guard let fetcher else { throw .evidence(.stateUnavailable("The App Store cannot be asked.")) }
        let watch = Stopwatch()
        defer { rooms.note(watch.nanoseconds, in: .evidence) }
        let answer: SubscriptionHistory
        do throws(EvidenceFault) {
            answer = try await fetcher.history(
                answering: .transactionId(transaction.id),
                for: request,
                of: customer.signing.app
            )
            try refuseFuture(answer, at: now())
        } catch {
            throw .evidence(error)
        }
        let begun = beginning(with: answer, from: .appStore, for: request, of: customer.signing, at: now())
        let known = try await customers([begun]).value()[0].value()
        return known.adding(confirmed: transaction.subscriptionIds.union(customer.confirmed ?? []))
    }

    /// Reads evidence that is at hand, and refuses a date ahead of the clock.
    private func read(_ evidence: Evidence?, at moment: Timestamp) throws(SignatureFault) -> SubscriptionHistory? {
        guard let evidence else { return nil }
        let watch = Stopwatch()
        defer { rooms.note(watch.nanoseconds, in: .evidence) }
        do throws(EvidenceFault) {
            let history = try reader.history(from: evidence)
            try refuseFuture(history, at: moment)
            // Apple's word without a transaction names no subscription: held state counts, as without evidence.
            if evidence.kind.isApplesWord, history.transactions.isEmpty { return nil }
            return history
        } catch {
            throw .evidence(error)
        }
    }

    private static var unreadable: SignatureFault {
        .evidence(.stateUnavailable("The state of the account cannot be read now."))
    }

    /// Refuses evidence dated further ahead of the server's clock than the two may be apart: it is not genuine, unless
    /// the clock itself may be behind.
    private func refuseFuture(_ history: SubscriptionHistory, at moment: Timestamp) throws(EvidenceFault) {
        guard let date = history.asOf, date > moment.adding(seconds: ClockSkew.toleratedSeconds) else { return }
        if let fault = clock?.fault { throw .clockWrong("\(fault)") }
        throw EvidenceFault(
            .rejected,
            code: "evidence_in_future",
            detail: "The evidence is dated \(date.rfc3339), ahead of the clock: Apple did not make it."
        )
    }

    /// Held state of the account, or of the requested subscription, in place of Apple's answer; `nil` for none.
    private func held(
        instead asked: AppStoreQuestion,
        for account: Account,
        of app: App
    ) async -> SharedHistory? {
        guard let memory else { return nil }
        let view = memory.view(of: account, in: app)
        var transactionId: String?
        if case .transactionId(let id, _) = asked { transactionId = id }
        let named = AppStoreEnvironment.allCases.filter(app.environments.contains).compactMap { environment in
            transactionId.map {
                SubscriptionIdentity(bundleId: app.bundleId, environment: environment, originalTransactionId: $0)
            }
        }
        let question = StateQuestion(bundleId: app.bundleId, account: view.digest, subscriptions: named)
        guard let state = try? await memory.states.held(question) else { return nil }
        let history = SubscriptionHistory(held: state, of: app, for: view, asking: transactionId)
        return history.map { SharedHistory($0.standingIn()) }
    }
}

/// A transaction that makes a customer eligible, and of which the App Store itself has not spoken lately.
struct UnconfirmedTransaction: Sendable {
    let id: String
    let subscriptionIds: Set<String>
}

extension HeldState {
    /// The subscriptions of which the App Store itself has spoken since a moment, or with `nil` ever.
    fileprivate func confirmed(since oldest: Timestamp?) -> Set<String> {
        Set(
            subscriptions.lazy.filter { held in
                held.confirmed.map { confirmed in oldest.map { confirmed >= $0 } ?? true } ?? false
            }.map(\.identity.originalTransactionId)
        )
    }
}

extension SubscriptionHistory {
    fileprivate var subscriptionIds: Set<String> {
        Set(transactions.map(\.originalTransactionId)).union((renewals ?? []).compactMap(\.originalTransactionId))
    }
}

extension EvidenceFetcher {
    /// Waits for the App Store no longer than the client does; the call goes on, for those who ask next.
    fileprivate func history(
        answering question: AppStoreQuestion,
        for request: CustomerRequest,
        of app: App
    ) async throws(EvidenceFault) -> SubscriptionHistory {
        let needsWhole = request.needsWholeHistory
        guard let timeout = request.timeout else {
            return try await history(answering: question, for: app.bundleId, needsWholeHistory: needsWhole)
        }
        let bundleId = app.bundleId
        return try await TimeLimit.value(by: .now + timeout, otherwise: .failure(.notInTime)) {
            do throws(EvidenceFault) {
                return Result<SubscriptionHistory, EvidenceFault>.success(
                    try await history(answering: question, for: bundleId, needsWholeHistory: needsWhole)
                )
            } catch {
                return .failure(error)
            }
        }.get()
    }
}

extension EvidenceFault {
    fileprivate static let notInTime = EvidenceFault(
        .unavailable(retryAfterSeconds: 1),
        code: "app_store_unavailable",
        detail: "The App Store did not answer within Request-Timeout-Milliseconds; ask again for its answer."
    )

    /// The fault where held state cannot be read: without it, a refund since the evidence would go unseen.
    static func stateUnavailable(_ detail: String) -> EvidenceFault {
        EvidenceFault(.unavailable(retryAfterSeconds: 5), code: "state_unavailable", detail: detail)
    }
}
