import Offers

/// Where the history of a customer comes from: the evidence of a request, what the App Store says of it, and what the
/// service holds.
struct CustomerHistories<Reader: EvidenceReader>: Sendable {
    /// How far ahead of the server's clock evidence may be dated, in seconds, before it counts as not genuine.
    static var toleratedClockSkewSeconds: Int64 { 300 }

    /// Reads evidence that is at hand.
    let reader: Reader
    /// Asks the App Store; `nil` where nothing is asked.
    let fetcher: (any EvidenceFetcher)?
    /// What the service remembers of customers; `nil` where it remembers nothing.
    let memory: StateMemory?
    /// How long evidence takes.
    let rooms: RoomMetrics
    /// The server's clock.
    let now: @Sendable () -> Timestamp

    /// The history of a customer, where all of it is at hand.
    ///
    /// - Parameters:
    ///   - evidence: The evidence; without it, what is held counts alone.
    ///   - account: The account that is asked for.
    ///   - app: The app that is asked for.
    /// - Returns: The history, and the server's clock after it was told.
    /// - Throws: `SignatureFault` when the evidence cannot be taken, or state is not at hand.
    func history(
        from evidence: Evidence?,
        for account: Account,
        of app: App
    ) throws(SignatureFault) -> (SubscriptionHistory?, Timestamp) {
        let moment = now()
        let told = try read(evidence, at: moment)
        guard let memory else { return (told, moment) }
        let view = memory.view(of: account, in: app)
        guard let state = memory.states.atHand(question(told, of: app, for: view)) else {
            throw .evidence(.stateUnavailable("The state of the account is not at hand."))
        }
        return (combine(told, evidence, with: state, of: app, for: view, at: moment), moment)
    }

    /// The history of a customer, waiting for the App Store and for the store of states where that has to be.
    ///
    /// While the App Store is out of reach, what is held answers in its place.
    ///
    /// - Parameters:
    ///   - evidence: The evidence; without it, what is held counts alone.
    ///   - account: The account that is asked for.
    ///   - app: The app that is asked for.
    ///   - needsWholeHistory: Whether every transaction counts, not the newest ones alone.
    /// - Returns: The history, and the server's clock after it was told.
    /// - Throws: `SignatureFault` when the evidence cannot be taken, or nobody can tell.
    func history(
        from evidence: Evidence?,
        for account: Account,
        of app: App,
        needsWholeHistory: Bool = false
    ) async throws(SignatureFault) -> (SubscriptionHistory?, Timestamp) {
        guard case .question(let asked) = evidence, let fetcher else {
            let moment = now()
            let told = try read(evidence, at: moment)
            guard let memory else { return (told, moment) }
            let view = memory.view(of: account, in: app)
            let state = try await held(question(told, of: app, for: view))
            return (combine(told, evidence, with: state, of: app, for: view, at: moment), moment)
        }
        let told: SubscriptionHistory
        let watch = Stopwatch()
        defer { rooms.note(watch.nanoseconds, in: .evidence) }
        do throws(EvidenceFault) {
            told = try await fetcher.history(
                answering: asked,
                for: app.bundleId,
                needsWholeHistory: needsWholeHistory
            )
            try Self.refuseFuture(told, at: now())
        } catch {
            guard case .unavailable = error.kind, let held = await held(instead: asked, for: account, of: app) else {
                throw .evidence(error)
            }
            return (held, now())
        }
        let moment = now()
        guard let memory else { return (told, moment) }
        let view = memory.view(of: account, in: app)
        let state = try await held(question(told, of: app, for: view))
        return (combine(told, evidence, with: state, of: app, for: view, at: moment), moment)
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

    private func question(_ told: SubscriptionHistory?, of app: App, for view: AccountView) -> StateQuestion {
        StateQuestion(bundleId: app.bundleId, account: view.digest, subscriptions: told?.namedSubscriptions ?? [])
    }

    /// Puts what is held over the evidence where it is newer, and learns from the evidence.
    private func combine(
        _ told: SubscriptionHistory?,
        _ evidence: Evidence?,
        with state: HeldState,
        of app: App,
        for view: AccountView,
        at moment: Timestamp
    ) -> SubscriptionHistory? {
        guard let told, let evidence else { return SubscriptionHistory(held: state, of: app, for: view) }
        memory?.learn(told, from: evidence.source, for: view.account, of: app, at: moment)
        return told.updated(by: state, from: evidence.source, for: view)
    }

    /// What is held.
    private func held(_ question: StateQuestion) async throws(SignatureFault) -> HeldState {
        guard let memory else { return HeldState() }
        if let state = memory.states.atHand(question) { return state }
        do throws(StateStoreFailure) {
            return try await memory.states.held(question)
        } catch {
            throw .evidence(.stateUnavailable("The state of the account cannot be read now."))
        }
    }

    private static func refuseFuture(_ history: SubscriptionHistory, at moment: Timestamp) throws(EvidenceFault) {
        guard let date = history.asOf, date > moment.adding(seconds: toleratedClockSkewSeconds) else { return }
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
    ) async -> SubscriptionHistory? {
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
        guard let state = try? await held(question) else { return nil }
        return SubscriptionHistory(held: state, of: app, for: view, asking: transactionId)
    }
}

extension Evidence {
    /// Who says what the evidence says.
    var source: StateSource {
        switch self {
        case .receiptResponse: .client
        case .signedTransactions: .signed
        case .question: .fetched
        }
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
