import Offers

/// Where the history of a customer comes from: the evidence of a request, what the App Store says of it, and what the
/// service holds.
struct CustomerHistories: Sendable {
    /// Reads evidence that is at hand.
    let reader: any EvidenceReader
    /// Asks the App Store; `nil` where nothing is asked.
    let fetcher: (any EvidenceFetcher)?
    /// What the service remembers of customers; `nil` where it remembers nothing.
    let memory: StateMemory?
    /// Knows which evidence is shared; `nil` where nobody does.
    let ledger: (any SignatureLedger)?
    /// How long evidence takes.
    let rooms: RoomMetrics
    /// How old held state may be, in seconds; 0 for no limit.
    let maximumHeldAgeSeconds: Int64
    /// The server's clock.
    let now: @Sendable () -> Timestamp

    /// The history of a customer, and the server's clock when its evidence was there.
    typealias KnownHistory = (history: SharedHistory?, moment: Timestamp)

    /// Evidence, and the question to the store of states that goes with it.
    private struct Reading: Sendable {
        private let told: SubscriptionHistory?
        private let evidence: Evidence?
        private let app: App
        private let view: AccountView
        private let oldest: Timestamp?
        /// Whether the evidence was lately refused, as too many have shown it.
        private let isShared: Bool
        let moment: Timestamp
        let memory: StateMemory
        let question: StateQuestion

        init(
            told: SubscriptionHistory?,
            evidence: Evidence?,
            moment: Timestamp,
            app: App,
            view: AccountView,
            memory: StateMemory,
            ledger: (any SignatureLedger)?,
            maximumHeldAgeSeconds: Int64
        ) {
            oldest = maximumHeldAgeSeconds > 0 ? moment.adding(seconds: -maximumHeldAgeSeconds) : nil
            self.told = told
            self.evidence = evidence
            self.moment = moment
            self.app = app
            self.view = view
            self.memory = memory
            let named = told?.namedSubscriptions ?? []
            question = StateQuestion(bundleId: app.bundleId, account: view.digest, subscriptions: named)
            isShared = ledger.map { named.contains(where: $0.isSuspect) } ?? false
        }

        /// Puts what is held over the evidence where it is newer, and learns from the evidence.
        func history(with state: HeldState) -> SharedHistory? {
            guard let told, let evidence else {
                return SubscriptionHistory(held: state, of: app, for: view).map { SharedHistory($0) }
            }
            // Whoever else comes with shared evidence gets no place beside those who came first.
            let owner = isShared ? AccountView(.none, of: app.bundleId, digester: memory.digester) : view
            memory.learn(told, isApples: evidence.isApples, for: owner, of: app, beside: state, at: moment)
            var state = state
            if evidence.isApples { state.leaveOutRedemptions(in: told) }
            return SharedHistory(told.updated(by: state, for: view, since: oldest))
        }
    }

    /// The history of a customer: at once, or after a wait for the App Store or for the store of states.
    ///
    /// While the App Store is out of reach, what is held answers in its place.
    ///
    /// - Parameters:
    ///   - evidence: The evidence; without it, what is held counts alone.
    ///   - account: The account that is asked for.
    ///   - app: The app that is asked for.
    ///   - needsWholeHistory: Whether every transaction counts, not the newest ones alone.
    /// - Returns: The history.
    /// - Throws: `SignatureFault` when the evidence cannot be taken, or the history cannot be read.
    func history(
        from evidence: Evidence?,
        for account: Account,
        of app: App,
        needsWholeHistory: Bool = false
    ) throws(SignatureFault) -> Step<KnownHistory, SignatureFault> {
        let moment = now()
        guard case .question(let question) = evidence, let fetcher else {
            return history(with: try read(evidence, at: moment), from: evidence, for: account, of: app, at: moment)
        }
        let watch = Stopwatch()
        let kept = fetcher.keptHistory(answering: question, for: app.bundleId, needsWholeHistory: needsWholeHistory)
        guard let kept else {
            return .later { () async throws(SignatureFault) in
                try await history(
                    asking: question,
                    of: fetcher,
                    for: account,
                    of: app,
                    needsWholeHistory: needsWholeHistory
                )
            }
        }
        rooms.note(watch.nanoseconds, in: .evidence)
        do throws(EvidenceFault) { try Self.refuseFuture(kept, at: moment) } catch { throw .evidence(error) }
        return history(with: kept, from: evidence, for: account, of: app, at: moment)
    }

    /// Asks the App Store for the history.
    private func history(
        asking question: AppStoreQuestion,
        of fetcher: any EvidenceFetcher,
        for account: Account,
        of app: App,
        needsWholeHistory: Bool
    ) async throws(SignatureFault) -> KnownHistory {
        let told: SubscriptionHistory
        let watch = Stopwatch()
        defer { rooms.note(watch.nanoseconds, in: .evidence) }
        do throws(EvidenceFault) {
            told = try await fetcher.history(
                answering: question,
                for: app.bundleId,
                needsWholeHistory: needsWholeHistory
            )
            try Self.refuseFuture(told, at: now())
        } catch {
            guard case .unavailable = error.kind, let held = await held(instead: question, for: account, of: app) else {
                throw .evidence(error)
            }
            return (held, now())
        }
        return try await history(with: told, from: .question(question), for: account, of: app, at: now()).value()
    }

    /// Puts what is held beside the evidence.
    private func history(
        with told: SubscriptionHistory?,
        from evidence: Evidence?,
        for account: Account,
        of app: App,
        at moment: Timestamp
    ) -> Step<KnownHistory, SignatureFault> {
        guard let memory else { return .now((told.map { SharedHistory($0) }, moment)) }
        let reading = Reading(
            told: told,
            evidence: evidence,
            moment: moment,
            app: app,
            view: memory.view(of: account, in: app),
            memory: memory,
            ledger: ledger,
            maximumHeldAgeSeconds: maximumHeldAgeSeconds
        )
        if let state = memory.states.atHand(reading.question) { return .now((reading.history(with: state), moment)) }
        return .later { () async throws(SignatureFault) in
            (reading.history(with: try await held(reading.question, in: memory)), moment)
        }
    }

    /// Reads evidence that is at hand, and refuses what is dated ahead of the clock.
    private func read(_ evidence: Evidence?, at moment: Timestamp) throws(SignatureFault) -> SubscriptionHistory? {
        guard let evidence else { return nil }
        let watch = Stopwatch()
        defer { rooms.note(watch.nanoseconds, in: .evidence) }
        do throws(EvidenceFault) {
            let history = try reader.history(from: evidence)
            try Self.refuseFuture(history, at: moment)
            return history
        } catch {
            throw .evidence(error)
        }
    }

    /// What is held.
    private func held(_ question: StateQuestion, in memory: StateMemory) async throws(SignatureFault) -> HeldState {
        do throws(StorageFailure) {
            return try await memory.states.held(question)
        } catch {
            throw .evidence(.stateUnavailable("The state of the account cannot be read now."))
        }
    }

    /// Refuses evidence that is dated further ahead of the server's clock than the two may be apart: it is not genuine.
    private static func refuseFuture(_ history: SubscriptionHistory, at moment: Timestamp) throws(EvidenceFault) {
        guard let date = history.asOf, date > moment.adding(seconds: ClockSkew.toleratedSeconds) else { return }
        throw EvidenceFault(
            .rejected,
            code: "evidence_in_future",
            detail: "The evidence is dated \(date.rfc3339), ahead of the clock: Apple did not make it."
        )
    }

    /// What is held of the account, or of the subscription asked about, while Apple cannot be asked; `nil` when nothing is.
    private func held(
        instead asked: AppStoreQuestion,
        for account: Account,
        of app: App
    ) async -> SharedHistory? {
        guard let memory else { return nil }
        let view = memory.view(of: account, in: app)
        var transactionId: String?
        if case .transactionId(let id) = asked { transactionId = id }
        let named = AppStoreEnvironment.allCases.filter(app.environments.contains).compactMap { environment in
            transactionId.map {
                SubscriptionIdentity(bundleId: app.bundleId, environment: environment, originalTransactionId: $0)
            }
        }
        let question = StateQuestion(bundleId: app.bundleId, account: view.digest, subscriptions: named)
        guard let state = try? await held(question, in: memory) else { return nil }
        let history = SubscriptionHistory(held: state, of: app, for: view, asking: transactionId)
        return history.map { SharedHistory($0.standingIn()) }
    }
}

extension Evidence {
    /// Whether Apple says what the evidence says, as far as is certain: a client can write a verifyReceipt answer by itself.
    var isApples: Bool {
        if case .receiptResponse = self { false } else { true }
    }
}

extension EvidenceFault {
    /// What is held cannot be looked at, and without it a refund since the evidence would go unseen.
    ///
    /// - Parameter detail: The fault in a sentence.
    /// - Returns: The fault.
    static func stateUnavailable(_ detail: String) -> EvidenceFault {
        EvidenceFault(.unavailable(retryAfterSeconds: 5), code: "state_unavailable", detail: detail)
    }
}
