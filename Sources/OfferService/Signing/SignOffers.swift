package import Offers

/// The main use case: reads the evidence, decides about each offer, signs those that the customer may have.
///
/// If the evidence is at hand, these are synchronous functions over values, without I/O, on the thread of the request.
/// After a wait for the App Store or the ledger, a ``Step`` continues with the same functions. It uses its parts
/// through existential protocols, because generic code across modules would be slower.
package final class SignOffers: Sendable {
    let apps: [String: SigningApp]
    let maximumEvidenceAgeSeconds: Int64
    let now: @Sendable () -> Timestamp
    package let metrics: ServiceMetrics
    /// `nil` where no decision has a line.
    package let decisionLog: DecisionLog?
    let signatureCounters: [String: SignatureCounters]
    let ledger: (any SignatureLedger)?
    let histories: CustomerHistories
    let draw: (any HoldoutDraw)?
    private let clock: ClockMonitor?
    private let maximumSignedTransactionAgeSeconds: Int64?

    /// Creates the use case; of two apps with one bundle identifier the first counts.
    ///
    /// Without a ledger, nothing signed is given out. An age of 0 is no limit. Signed transactions have the limit of
    /// other evidence where theirs is `nil`; with `confirmsSignedTransactions`, the App Store is asked before an
    /// eligible answer that rests on them. While the clock is not Apple's, nothing is signed.
    package init(
        apps: [SigningApp],
        evidenceReader: any EvidenceReader,
        evidenceFetcher: (any EvidenceFetcher)? = nil,
        memory: StateMemory? = nil,
        maximumEvidenceAgeSeconds: Int64,
        maximumSignedTransactionAgeSeconds: Int64? = nil,
        confirmsSignedTransactions: Bool = false,
        ledger: (any SignatureLedger)? = nil,
        clock: ClockMonitor? = nil,
        metrics: ServiceMetrics = ServiceMetrics(),
        decisionLog: DecisionLog? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.apps = Dictionary(apps.map { ($0.app.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.ledger = ledger
        self.clock = clock
        draw = memory?.draw
        self.metrics = metrics
        self.decisionLog = decisionLog
        signatureCounters = self.apps.mapValues { signing in
            SignatureCounters(
                signing.app,
                keyIdentifier: signing.signer.keyIdentifier,
                formats: signing.issuer == nil ? [.discount] : SignatureFormat.allCases,
                factory: metrics.factory
            )
        }
        histories = CustomerHistories(
            reader: evidenceReader,
            fetcher: evidenceFetcher,
            memory: memory,
            ledger: ledger,
            stages: metrics.stages,
            maximumHeldAgeSeconds: maximumEvidenceAgeSeconds,
            confirmsSignedTransactions: confirmsSignedTransactions,
            clock: clock,
            now: now
        )
        self.maximumSignedTransactionAgeSeconds = maximumSignedTransactionAgeSeconds
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
        self.now = now
    }

    /// The customers of requests that came together, with one look-up of the held state of all of them.
    package func customers(of requests: [CustomerRequest]) -> Customers {
        histories.customers(
            of: requests.map { request in
                Result { () throws(SignatureFault) in
                    try histories.begin(request, of: try signingApp(of: request))
                }
            }
        )
    }

    /// Answers a request, and gives signatures out once the ledger has them; when it throws, none has been given out.
    package func answer(
        _ request: CustomerRequest,
        skippingEligibility: Bool = false
    ) async throws(SignatureFault) -> CustomerAnswer {
        let step = try decide(request, skippingEligibility: skippingEligibility)
        let decided = try await step.value()
        if case .later = step, Task.isCancelled { throw .givenUp }
        let prepared = try await sign(decided).value()
        guard let entry = prepared.entry else { return release(prepared, by: []) }
        let result = await withCheckedContinuation { continuation in
            record([entry]) { continuation.resume(returning: $1) }
        }
        return release(prepared, by: try result.get().first ?? [])
    }

    /// Queues entries for the ledger, without waiting.
    ///
    /// `completion` is called from any thread, maybe before this returns, and for each entry once: with the places of
    /// entries and the outcomes of each one's grants, in their order, or with the reason why nothing of these may leave.
    package func record(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (_ places: [Int], Result<[[GrantOutcome]], SignatureFault>) -> Void
    ) {
        guard let ledger else { return completion(Array(entries.indices), .failure(.ledger(Self.noLedger))) }
        let (watch, stages) = (Stopwatch(), metrics.stages)
        ledger.append(entries) { places, result in
            let nanoseconds = watch.nanoseconds
            for _ in places { stages.record(nanoseconds, in: .ledger) }
            completion(places, result.mapError { .ledger($0) })
        }
    }

    /// The outcome of a call that was answered a short while ago; `nil` where none is on record.
    package func storedAnswer(to call: IdempotentCall) -> Step<GrantOutcome?, SignatureFault> {
        switch ledger?.storedAnswer(to: .client(call), at: now()) {
        case .now(let outcome): .now(outcome)
        case .later(let work):
            .later { () async throws(SignatureFault) in
                do throws(StorageFailure) {
                    return try await work()
                } catch {
                    throw .ledger(error)
                }
            }
        case nil: .now(nil)
        }
    }

    func ledgerAnswer(to question: LedgerQuestion) async throws(SignatureFault) -> LedgerAnswer {
        guard let ledger else { throw .ledger(Self.noLedger) }
        do throws(StorageFailure) {
            return try await ledger.answer(to: question)
        } catch {
            throw .ledger(error)
        }
    }

    /// Whether the clock is Apple's, as far as is known; throws for a request that signs.
    func isClockRight(for request: CustomerRequest) throws(SignatureFault) -> Bool {
        guard let difference = clock?.differenceFromApple else { return true }
        if request.signatureCount > 0 { throw .evidence(.clockWrong("\(difference)")) }
        return false
    }

    private static var noLedger: StorageFailure { StorageFailure(.closed, "no ledger is open") }

    /// The app of a request; throws if the app requires an account and the request names none.
    func signingApp(of request: CustomerRequest) throws(SignatureFault) -> SigningApp {
        guard let signing = apps[request.bundleId] else { throw .unknownApp(bundleId: request.bundleId) }
        let isNamed = request.account != .none || request.trial?.originalTransactionId != nil
        if signing.app.requiresAccount, !isNamed { throw .accountRequired }
        return signing
    }

    /// How old evidence may be, in seconds; 0 for no limit.
    ///
    /// Signed transactions, which a sender chose to show, may have another limit. The limit of held state is separate.
    func maximumAgeSeconds(of book: Book?) -> Int64 {
        guard book?.listing?.coverage == .partial else { return maximumEvidenceAgeSeconds }
        return maximumSignedTransactionAgeSeconds ?? maximumEvidenceAgeSeconds
    }
}
