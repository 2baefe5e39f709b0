import CoreMetrics
package import Logging
package import Offers

/// Asks the App Store about customers, over the network.
package struct AppStoreEvidenceFetcher: EvidenceFetcher {
    private let apps: [String: AppStoreApp]
    private let verifyReceipt: VerifyReceiptClient
    private var serverAPI: ServerAPIClient
    private let credentialsRefused: [String: [AppStoreService: Counter]]
    let apple: AppStoreConnection
    let metrics: AppStoreMetrics
    let throttle: ThrottledTransport?
    let flights: SingleFlight
    let answers = AnswerCache()
    private let newTransactions = NewTransactions()
    private var keepsAnswers = true

    /// Of two apps with one bundle identifier the first counts, and ``shutdown()`` closes the transport.
    ///
    /// An app may make `requestsPerSecond` in production, a tenth of it in the Sandbox; `nil`: nothing is held back. The
    /// deadline is of a question with all its attempts and pauses.
    package init(
        apps: [AppStoreApp],
        urls: AppStoreURLs,
        verifier: SignedDataVerifier,
        transport: any HTTPTransport,
        requestsPerSecond: Int?,
        deadline: Duration,
        metrics: AppStoreMetrics = AppStoreMetrics(),
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        throttle = requestsPerSecond.map {
            ThrottledTransport(
                ObservedTransport(transport, metrics, logger: logger),
                requestsPerSecond: $0,
                deadline: deadline,
                metrics: metrics,
                now: now
            )
        }
        apple = AppStoreConnection(
            transport: throttle ?? transport,
            urls: urls,
            deadline: deadline,
            now: now,
            log: AppleLog(logger)
        )
        self.metrics = metrics
        flights = SingleFlight(metrics: metrics)
        credentialsRefused = Dictionary(
            apps.map { ($0.bundleId, metrics.credentialsRefused(for: $0.bundleId)) },
            uniquingKeysWith: { first, _ in first }
        )
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        verifyReceipt = VerifyReceiptClient(apple: apple)
        serverAPI = ServerAPIClient(apple: apple, verifier: verifier)
    }

    package func shutdown() async {
        await apple.transport.shutdown()
    }

    /// The same connections, within the same limits, of which no answer is kept.
    package var keepingNothing: AppStoreEvidenceFetcher {
        var fetcher = self
        fetcher.keepsAnswers = false
        fetcher.serverAPI.underWay = nil
        return fetcher
    }

    package func keptHistory(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) -> Book? {
        guard let app = apps[bundleId] else { return nil }
        let asking = Asking(question, of: app, needsWholeHistory: needsWholeHistory)
        guard case .success(let known)? = answers.answer(for: asking.key) else { return nil }
        metrics.countQuestion(answeredBy: .cache)
        return known
    }

    package func history(
        answering question: AppStoreQuestion,
        for bundleId: String,
        by client: String? = nil,
        needsWholeHistory: Bool = false
    ) async throws(EvidenceFault) -> Book {
        guard let app = apps[bundleId] else {
            throw .appStoreUnavailable("The App Store is not asked for \(bundleId).")
        }
        let asking = Asking(question, of: app, by: client, needsWholeHistory: needsWholeHistory)
        if let known = answers.answer(for: asking.key) {
            metrics.countQuestion(answeredBy: .cache)
            return try known.get()
        }
        if case .receipt(let base64) = question { try SentReceipt.check(base64, for: app.bundleId) }
        guard case .transactionId(let id, isNew: true) = question else { return try await ask(asking) }
        let isAwaited = newTransactions.mayStillCome(id, of: bundleId, at: .now, caching: keepsAnswers)
        do throws(EvidenceFault) {
            let history = try await ask(asking)
            newTransactions.forget(id, of: bundleId)
            return history
        } catch {
            // Those who wait for the same call and did not say so get Apple's answer as it is.
            throw isAwaited && error == .transactionNotFound ? .transactionNotThereYet : error
        }
    }

    /// Asks, or waits for the same question that is under way, and keeps the answer.
    private func ask(_ asking: Asking) async throws(EvidenceFault) -> Book {
        try await flights.history(for: asking.key, by: asking.client) { () throws(EvidenceFault) in
            let lifetime = asking.app.answerLifetimeSeconds
            do throws(EvidenceFault) {
                let history = try await askAndCount(asking)
                if keepsAnswers { answers.store(.success(history), for: asking.key, lifetimeSeconds: lifetime) }
                return history
            } catch {
                if keepsAnswers, error == .receiptDoubted {
                    let lifetime = max(lifetime, Self.shortestDoubtSeconds)
                    answers.store(.failure(error), for: asking.key, lifetimeSeconds: lifetime)
                }
                throw error
            }
        }
    }

    /// How long a receipt that Apple doubts is not asked about again at least, in seconds.
    private static let shortestDoubtSeconds = 30

    /// How an app's question is asked.
    private struct Asking {
        let question: AppStoreQuestion
        let app: AppStoreApp
        /// Who asks; `nil` is the service itself.
        let client: String?
        /// Whether every transaction is asked for: the receipt's answer has them all.
        let isWhole: Bool
        let key: QuestionKey

        init(_ question: AppStoreQuestion, of app: AppStoreApp, by client: String? = nil, needsWholeHistory: Bool) {
            self.question = question
            self.app = app
            self.client = client
            isWhole = (needsWholeHistory || app.countsRedemptions) && app.service(for: question) == .serverAPI
            key = QuestionKey(question, of: app.bundleId, needsWholeHistory: isWhole)
        }
    }

    private func askAndCount(_ asking: Asking) async throws(EvidenceFault) -> Book {
        // The statuses and a page of the history, which few customers have more of.
        let turn = QuestionTurn(of: asking.client, calls: asking.isWhole ? 2 : 1)
        defer { throttle?.end(turn) }
        do throws(EvidenceFault) {
            return try await ask(asking, in: turn)
        } catch {
            if error.code == EvidenceFault.appStoreCredentials.code {
                credentialsRefused[asking.app.bundleId]?[asking.app.service(for: asking.question)]?.increment()
            }
            throw error
        }
    }

    private func ask(_ asking: Asking, in turn: QuestionTurn) async throws(EvidenceFault) -> Book {
        let app = asking.app
        var (verifyReceipt, serverAPI) = (verifyReceipt, serverAPI)
        verifyReceipt.apple.turn = turn
        serverAPI.apple.turn = turn
        let transactionId: String
        switch (asking.question, app.service(for: asking.question)) {
        case (.receipt(let base64), .verifyReceipt): return try await verifyReceipt.history(ofReceipt: base64, of: app)
        case (.receipt(let base64), _): transactionId = try SentReceipt(base64).transactionToAskAbout()
        case (.transactionId(let id, _), _): transactionId = id
        }
        return try await serverAPI.history(ofTransaction: transactionId, of: app, isWhole: asking.isWhole)
    }
}
