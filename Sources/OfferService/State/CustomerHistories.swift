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
    let stages: StageMetrics
    /// The greatest age of held state; 0 for no limit.
    let maximumHeldAgeSeconds: Int64
    /// Whether the App Store is asked before an eligible answer that rests on signed transactions.
    let confirmsSignedTransactions: Bool
    let clock: ClockMonitor?
    let now: @Sendable () -> Timestamp

    /// The evidence of a request, before what is held is known: a reference, which is handed on without a copy.
    final class Inquiry: Sendable {
        let request: CustomerRequest
        let signing: SigningApp
        /// `nil` without evidence.
        let evidence: Book?
        let source: EvidenceSource
        /// The server's clock when the evidence was there.
        let moment: Timestamp
        let question: StateQuestion
        /// The account as held state knows it: of the request, or of the subscription that an operator asks about.
        let view: AccountView
        /// The account that has the subscription that an operator asks about.
        let owner: AccountDigest?
        /// Why the App Store's answer is not there: held state stands in for it, or this is thrown.
        let fault: SignatureFault?

        fileprivate init(
            _ request: CustomerRequest,
            of signing: SigningApp,
            _ evidence: Book?,
            from source: EvidenceSource,
            at moment: Timestamp,
            account: AccountView,
            owner: AccountDigest? = nil,
            insteadOf fault: SignatureFault? = nil
        ) {
            self.request = request
            self.signing = signing
            self.evidence = evidence
            self.source = source
            self.moment = request.trial?.moment ?? moment
            self.fault = fault
            self.owner = owner
            view = owner.map(AccountView.init(knownBy:)) ?? account
            let app = signing.app
            var named = evidence?.namedSubscriptions ?? []
            if let id = request.trial?.originalTransactionId ?? (fault == nil ? nil : request.transactionId) {
                named = app.subscriptions(named: id)
            }
            question = StateQuestion(bundleId: app.bundleId, account: view.digest, subscriptions: named)
        }
    }

    /// The customers of requests that came together, with one question to the store of states for all of them.
    func customers(of begun: [Result<Step<Inquiry, SignatureFault>, SignatureFault>]) -> Customers {
        let questions = begun.compactMap { begun -> StateQuestion? in
            if case .success(.now(let inquiry)) = begun { inquiry.question } else { nil }
        }
        guard let memory, !questions.isEmpty else { return .now(customers(of: begun, holding: [])) }
        if let books = memory.states.atHand(questions) {
            return .now(customers(of: begun, holding: books.map { .success($0) }))
        }
        return .later { () async throws(SignatureFault) in
            customers(of: begun, holding: await memory.states.held(questions))
        }
    }

    private func customers(
        of begun: [Result<Step<Inquiry, SignatureFault>, SignatureFault>],
        holding answers: [Result<Book, StorageFailure>]
    ) -> [CustomerStep] {
        var rest = answers[...]
        return begun.map { begun in
            switch begun {
            case .failure(let fault): return .failure(fault)
            case .success(.later(let work)):
                return .success(.later { () async throws(SignatureFault) in try await customer(of: try await work()) })
            case .success(.now(let inquiry)):
                let held =
                    memory == nil
                    ? .success(Book())
                    : rest.popFirst() ?? .failure(StorageFailure(.unavailable, "the store gave no answer"))
                return Result { () throws(SignatureFault) in .now(try customer(of: inquiry, holding: held)) }
            }
        }
    }

    private func customer(of inquiry: Inquiry) async throws(SignatureFault) -> KnownCustomer {
        let held = await memory?.states.held([inquiry.question]).first ?? .success(Book())
        return try customer(of: inquiry, holding: held)
    }

    /// Joins what is held with the evidence, and learns from the evidence.
    private func customer(
        of inquiry: Inquiry,
        holding answer: Result<Book, StorageFailure>
    ) throws(SignatureFault) -> KnownCustomer {
        let (request, app) = (inquiry.request, inquiry.signing.app)
        guard case .success(let held) = answer else {
            throw inquiry.fault ?? .evidence(.stateUnavailable("The state of the account cannot be read now."))
        }
        let view = inquiry.view
        let environments = request.environments(of: app)
        var book: Book?
        if let evidence = inquiry.evidence {
            if let memory {
                // Shared evidence ties nobody else to its subscriptions: the first accounts hold their places.
                let isShared = ledger.map { inquiry.question.subscriptions.contains(where: $0.isSuspect) } ?? false
                let owner = isShared ? .none : request.account
                memory.learn(evidence, from: inquiry.source, for: owner, of: app, beside: held, at: inquiry.moment)
            }
            book = evidence.joined(with: held, for: view)
        } else {
            let asked = request.trial?.originalTransactionId ?? (inquiry.fault == nil ? nil : request.transactionId)
            book = Book(held: held, of: app, in: environments, for: view, asking: asked)
            if book == nil, let fault = inquiry.fault { throw fault }
        }
        return KnownCustomer(
            of: inquiry.signing,
            Customer(
                account: inquiry.owner == nil ? request.account : view.account,
                book: book,
                beside: held,
                of: app,
                in: environments,
                for: view,
                knownAccount: inquiry.owner,
                isStandIn: inquiry.fault != nil
            ),
            from: inquiry.fault == nil ? inquiry.source : .client,
            at: inquiry.moment,
            confirmed: confirmed(by: held, inquiry)
        )
    }

    /// The subscriptions of which the App Store itself has spoken lately; `nil` where it need not have.
    private func confirmed(by held: Book, _ inquiry: Inquiry) -> Set<String>? {
        guard confirmsSignedTransactions, fetcher != nil, memory != nil, inquiry.fault == nil else { return nil }
        let oldest = maximumHeldAgeSeconds > 0 ? inquiry.moment.adding(seconds: -maximumHeldAgeSeconds) : nil
        let known = held.chapters.filter { chapter in
            chapter.confirmed.map { confirmed in oldest.map { confirmed >= $0 } ?? true } ?? false
        }
        let evident = inquiry.source == .signature ? [] : inquiry.evidence?.chapters.compactMap(\.id) ?? []
        return Set(known.map(\.identity.originalTransactionId) + evident)
    }

    /// Reads the evidence of a request, or asks the App Store for it.
    ///
    /// While the App Store is out of reach, held state answers in its place, but not for a purchase made just now.
    func begin(
        _ request: CustomerRequest,
        of signing: SigningApp
    ) throws(SignatureFault) -> Step<Inquiry, SignatureFault> {
        let moment = now()
        if let id = request.trial?.originalTransactionId, request.account == .none, let memory {
            return .later { () async throws(SignatureFault) in
                await inquiry(request, of: signing, owner: owner(of: id, in: signing.app, memory), at: moment)
            }
        }
        guard case .question(let question) = request.evidence, let fetcher else {
            let source: EvidenceSource = request.evidence?.kind.isApplesWord == true ? .signature : .client
            return .now(inquiry(request, of: signing, try read(request.evidence, at: moment), from: source, at: moment))
        }
        let watch = Stopwatch()
        let kept = fetcher.keptHistory(
            answering: question,
            for: signing.app.bundleId,
            needsWholeHistory: request.needsWholeHistory
        )
        guard let kept else {
            return .later { () async throws(SignatureFault) in
                do throws(SignatureFault) {
                    return try await ask(question, of: fetcher, for: request, of: signing)
                } catch {
                    // Held state is older than a purchase that was made just now.
                    guard case .evidence(let fault) = error, case .unavailable = fault.kind, !question.isNew,
                        memory != nil
                    else { throw error }
                    return inquiry(request, of: signing, nil, from: .client, at: now(), insteadOf: error)
                }
            }
        }
        stages.record(watch.nanoseconds, in: .evidence)
        try refuseFuture(kept, at: moment)
        return .now(inquiry(request, of: signing, kept, from: .appStore, at: moment))
    }

    private func ask(
        _ question: AppStoreQuestion,
        of fetcher: any EvidenceFetcher,
        for request: CustomerRequest,
        of signing: SigningApp
    ) async throws(SignatureFault) -> Inquiry {
        let watch = Stopwatch()
        defer { stages.record(watch.nanoseconds, in: .evidence) }
        let answer: Book
        do throws(EvidenceFault) {
            answer = try await fetcher.history(answering: question, for: request, of: signing.app)
        } catch {
            throw .evidence(error)
        }
        try refuseFuture(answer, at: now())
        return inquiry(request, of: signing, answer, from: .appStore, at: now())
    }

    private func inquiry(
        _ request: CustomerRequest,
        of signing: SigningApp,
        _ evidence: Book? = nil,
        from source: EvidenceSource = .client,
        owner: AccountDigest? = nil,
        at moment: Timestamp,
        insteadOf fault: SignatureFault? = nil
    ) -> Inquiry {
        Inquiry(
            request,
            of: signing,
            evidence,
            from: source,
            at: moment,
            account: memory?.view(of: request.account, in: signing.app) ?? AccountView(),
            owner: owner,
            insteadOf: fault
        )
    }

    /// The account that has a subscription, by what is held.
    private func owner(of id: String, in app: App, _ memory: StateMemory) async -> AccountDigest? {
        let named = app.subscriptions(named: id)
        let question = StateQuestion(bundleId: app.bundleId, account: nil, subscriptions: named)
        guard let held = try? await memory.states.held(question) else { return nil }
        return named.lazy.compactMap { RetentionCustomer($0, in: held, of: app).account }.first
    }

    /// Asks the App Store about a customer known by a transaction that only a client's signed data names.
    func confirm(
        _ transaction: UnconfirmedTransaction,
        _ request: CustomerRequest,
        of customer: KnownCustomer
    ) async throws(SignatureFault) -> KnownCustomer {
        guard let fetcher else { throw .evidence(.stateUnavailable("The App Store cannot be asked.")) }
        let inquiry = try await ask(.transactionId(transaction.id), of: fetcher, for: request, of: customer.signing)
        let known = try await self.customer(of: inquiry)
        return known.adding(confirmed: transaction.subscriptionIds.union(customer.confirmed ?? []))
    }

    /// Reads evidence that is at hand, and refuses a date ahead of the clock.
    private func read(_ evidence: Evidence?, at moment: Timestamp) throws(SignatureFault) -> Book? {
        guard let evidence else { return nil }
        let watch = Stopwatch()
        defer { stages.record(watch.nanoseconds, in: .evidence) }
        let book: Book
        do throws(EvidenceFault) {
            book = try reader.book(from: evidence)
        } catch {
            throw .evidence(error)
        }
        try refuseFuture(book, at: moment)
        // Apple's word without a transaction names no subscription: held state counts, as without evidence.
        return evidence.kind.isApplesWord && book.chapters.isEmpty ? nil : book
    }

    /// Refuses evidence dated further ahead of the server's clock than the two may be apart: it is not genuine, unless
    /// the clock itself may be behind.
    private func refuseFuture(_ book: Book, at moment: Timestamp) throws(SignatureFault) {
        guard let date = book.asOf, date > moment.adding(seconds: ClockSkew.toleratedSeconds) else { return }
        if let fault = clock?.suspicion { throw .evidence(.clockWrong("\(fault)")) }
        throw .evidence(
            EvidenceFault(
                .rejected,
                code: "evidence_in_future",
                detail: "The evidence is dated \(date.rfc3339), ahead of the clock: Apple did not make it."
            )
        )
    }
}

/// A transaction that makes a customer eligible, and of which the App Store itself has not spoken lately.
struct UnconfirmedTransaction: Sendable {
    let id: String
    let subscriptionIds: Set<String>
}

extension App {
    /// A subscription in each environment that counts.
    fileprivate func subscriptions(named id: String) -> [SubscriptionIdentity] {
        AppStoreEnvironment.allCases.filter(environments.contains).map {
            SubscriptionIdentity(bundleId: bundleId, environment: $0, originalTransactionId: id)
        }
    }
}

extension CustomerRequest {
    /// The transaction that the App Store is asked about; `nil` for other evidence.
    fileprivate var transactionId: String? {
        if case .question(.transactionId(let id, _)) = evidence { id } else { nil }
    }
}

extension EvidenceFetcher {
    /// Waits for the App Store no longer than the client does; the call goes on, for those who ask next.
    fileprivate func history(
        answering question: AppStoreQuestion,
        for request: CustomerRequest,
        of app: App
    ) async throws(EvidenceFault) -> Book {
        let (bundleId, client, needsWhole) = (app.bundleId, request.client, request.needsWholeHistory)
        guard let timeout = request.timeout else {
            return try await history(answering: question, for: bundleId, by: client, needsWholeHistory: needsWhole)
        }
        return try await TimeLimit.value(by: .now + timeout, otherwise: .failure(.notInTime)) {
            do throws(EvidenceFault) {
                return Result<Book, EvidenceFault>.success(
                    try await history(answering: question, for: bundleId, by: client, needsWholeHistory: needsWhole)
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
