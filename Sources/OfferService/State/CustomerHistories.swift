import Offers

/// Makes the history of a customer from the evidence of a request, from the App Store's answer to it, and from held state.
struct CustomerHistories: Sendable {
    /// Reads evidence that is at hand.
    let reader: any EvidenceReader
    /// Asks the App Store; `nil` where nothing is asked.
    let fetcher: (any EvidenceFetcher)?
    /// The service's memory; `nil` where it remembers nothing.
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

    /// How far a history came before anything was looked up.
    enum Beginning: Sendable {
        /// It is known, and nothing is remembered beside it.
        case known(KnownHistory)
        /// Held state belongs beside it.
        case reading(Reading)
        /// The App Store has to be asked.
        case asking(@Sendable () async throws(SignatureFault) -> KnownHistory)
    }

    /// Evidence, and its question to the store of states.
    ///
    /// A reference, which is handed on without a copy.
    final class Reading: Sendable {
        private let evidence: SubscriptionHistory?
        private let isApples: Bool
        private let app: App
        private let view: AccountView
        private let oldest: Timestamp?
        /// Whether the evidence was lately refused, as too many have shown it.
        private let isShared: Bool
        private let memory: StateMemory
        let moment: Timestamp
        let question: StateQuestion

        fileprivate init(
            _ evidence: SubscriptionHistory?,
            isApples: Bool,
            at moment: Timestamp,
            app: App,
            view: AccountView,
            memory: StateMemory,
            ledger: (any SignatureLedger)?,
            maximumHeldAgeSeconds: Int64
        ) {
            oldest = maximumHeldAgeSeconds > 0 ? moment.adding(seconds: -maximumHeldAgeSeconds) : nil
            self.evidence = evidence
            self.isApples = isApples
            self.moment = moment
            self.app = app
            self.view = view
            self.memory = memory
            let named = evidence?.namedSubscriptions ?? []
            question = StateQuestion(bundleId: app.bundleId, account: view.digest, subscriptions: named)
            isShared = ledger.map { named.contains(where: $0.isSuspect) } ?? false
        }

        /// Puts held state over the evidence where it is newer, and learns from the evidence.
        fileprivate func history(with state: HeldState) -> KnownHistory {
            guard let evidence else {
                return (SubscriptionHistory(held: state, of: app, for: view).map { SharedHistory($0) }, moment)
            }
            // Shared evidence ties nobody else to its subscriptions: those who came first keep their places.
            let owner = isShared ? AccountView(.none, of: app.bundleId, digester: memory.digester) : view
            memory.learn(evidence, isApples: isApples, for: owner, of: app, beside: state, at: moment)
            var state = state
            if isApples { state.leaveOutRedemptions(in: evidence) }
            return (SharedHistory(evidence.updated(by: state, for: view, since: oldest)), moment)
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
        histories([try begin(from: evidence, for: account, of: app, needsWholeHistory: needsWholeHistory)])[0]
    }

    /// The histories of customers, with one question to the store of states for all of them.
    ///
    /// - Parameter begun: How far each came.
    /// - Returns: The histories, in their order.
    func histories(_ begun: [Beginning]) -> [Step<KnownHistory, SignatureFault>] {
        let questions = begun.compactMap { if case .reading(let reading) = $0 { reading.question } else { nil } }
        let states = questions.isEmpty ? nil : memory?.states.atHand(questions)
        let answers: Task<[Result<HeldState, StorageFailure>], Never>? =
            if states == nil, !questions.isEmpty, let memory {
                Task { await memory.states.held(questions) }
            } else { nil }
        var place = 0
        return begun.map { beginning in
            switch beginning {
            case .known(let known): return .now(known)
            case .asking(let work): return .later(work)
            case .reading(let reading):
                defer { place += 1 }
                if let states { return .now(reading.history(with: states[place])) }
                return .later { [place] () async throws(SignatureFault) in
                    guard case .success(let state) = await answers?.value[place] else { throw Self.unreadable }
                    return reading.history(with: state)
                }
            }
        }
    }

    /// Reads the evidence, as far as that goes without the store of states.
    ///
    /// - Returns: How far it came, for ``histories(_:)``.
    /// - Throws: `SignatureFault` when the evidence cannot be taken.
    func begin(
        from evidence: Evidence?,
        for account: Account,
        of app: App,
        needsWholeHistory: Bool = false
    ) throws(SignatureFault) -> Beginning {
        let moment = now()
        guard case .question(let question) = evidence, let fetcher else {
            return beginning(with: try read(evidence, at: moment), from: evidence, for: account, of: app, at: moment)
        }
        let watch = Stopwatch()
        let kept = fetcher.keptHistory(answering: question, for: app.bundleId, needsWholeHistory: needsWholeHistory)
        guard let kept else {
            return .asking { () async throws(SignatureFault) in
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
        return beginning(with: kept, from: evidence, for: account, of: app, at: moment)
    }

    /// Asks the App Store for the history.
    private func history(
        asking question: AppStoreQuestion,
        of fetcher: any EvidenceFetcher,
        for account: Account,
        of app: App,
        needsWholeHistory: Bool
    ) async throws(SignatureFault) -> KnownHistory {
        let answer: SubscriptionHistory
        let watch = Stopwatch()
        defer { rooms.note(watch.nanoseconds, in: .evidence) }
        do throws(EvidenceFault) {
            answer = try await fetcher.history(
                answering: question,
                for: app.bundleId,
                needsWholeHistory: needsWholeHistory
            )
            try Self.refuseFuture(answer, at: now())
        } catch {
            guard case .unavailable = error.kind, let held = await held(instead: question, for: account, of: app) else {
                throw .evidence(error)
            }
            return (held, now())
        }
        let begun = beginning(with: answer, from: .question(question), for: account, of: app, at: now())
        return try await histories([begun])[0].value()
    }

    /// Takes evidence that was read, and makes its question to the store of states.
    private func beginning(
        with history: SubscriptionHistory?,
        from evidence: Evidence?,
        for account: Account,
        of app: App,
        at moment: Timestamp
    ) -> Beginning {
        guard let memory else { return .known((history.map { SharedHistory($0) }, moment)) }
        return .reading(
            Reading(
                history,
                isApples: evidence?.isApples ?? false,
                at: moment,
                app: app,
                view: memory.view(of: account, in: app),
                memory: memory,
                ledger: ledger,
                maximumHeldAgeSeconds: maximumHeldAgeSeconds
            )
        )
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

    private static var unreadable: SignatureFault {
        .evidence(.stateUnavailable("The state of the account cannot be read now."))
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

    /// Held state of the account, or of the subscription asked about, in the place of Apple's answer; `nil` for none.
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
        guard let state = try? await memory.states.held(question) else { return nil }
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
    /// Held state cannot be read, and without it a refund since the evidence would go unseen.
    ///
    /// - Parameter detail: The fault in a sentence.
    /// - Returns: The fault.
    static func stateUnavailable(_ detail: String) -> EvidenceFault {
        EvidenceFault(.unavailable(retryAfterSeconds: 5), code: "state_unavailable", detail: detail)
    }
}
