package import Offers

/// The use case behind Apple's calls for retention messages: it asks only the store of states and the ledger, and
/// answers within a limit or not at all.
///
/// A signature that leaves is in the ledger before, and one that does not leave is not in it.
package struct AnswerRetentionCalls: Sendable {
    package struct Limits: Equatable, Sendable {
        /// Of a call.
        package let time: Duration
        /// At once.
        package let calls: Int

        package init(time: Duration, calls: Int) {
            self.time = time
            self.calls = calls
        }
    }

    /// Of a call, in seconds; also its greatest lead over the server's clock.
    static let maximumAgeSeconds: Int64 = 300

    private let apps: [String: RetentionApp]
    private let reader: any RetentionCallReader
    private let customers: RetentionCustomers
    private let ledger: any RetentionLedger
    private let lookups: RetentionLookups?
    private let counters: [String: SignatureCounters]
    private let service: ServiceMetrics
    private let decisionLog: DecisionLog?
    private let metrics: RetentionMetrics
    private let maximumHeldAgeSeconds: Int64
    private let limits: Limits
    private let clock: ClockMonitor?
    private let permits: Permits
    private let write: @Sendable (RetentionAnswer) -> [UInt8]
    private let now: @Sendable () -> Timestamp

    /// Without `lookups`, the App Store is not asked.
    ///
    /// `maximumHeldAgeSeconds` bounds the age of held state once the paid time is over; 0 is no limit.
    package init(
        apps: [RetentionApp],
        reader: any RetentionCallReader,
        memory: StateMemory,
        ledger: any RetentionLedger,
        lookups: RetentionLookups?,
        service: ServiceMetrics,
        decisionLog: DecisionLog? = nil,
        metrics: RetentionMetrics,
        maximumHeldAgeSeconds: Int64,
        limits: Limits,
        clock: ClockMonitor? = nil,
        now: @escaping @Sendable () -> Timestamp,
        write: @escaping @Sendable (RetentionAnswer) -> [UInt8]
    ) {
        self.apps = Dictionary(apps.map { ($0.signing.app.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.reader = reader
        customers = RetentionCustomers(memory: memory)
        self.ledger = ledger
        self.lookups = lookups
        self.service = service
        self.decisionLog = decisionLog
        self.metrics = metrics
        counters = self.apps.mapValues { app in
            SignatureCounters(
                app.signing.app,
                keyIdentifier: app.signing.signer.keyIdentifier,
                formats: [.jws],
                factory: service.factory
            )
        }
        self.maximumHeldAgeSeconds = maximumHeldAgeSeconds
        self.limits = limits
        self.clock = clock
        permits = Permits(limits.calls)
        self.now = now
        self.write = write
        metrics.set(limit: limits.time)
    }

    /// An answer is on durable storage, and a refusal is recorded nowhere.
    package func answer(_ signedPayload: String) async -> Result<RetentionReply, RetentionRefusal> {
        let watch = Stopwatch()
        let answered = await answerInTime(signedPayload)
        metrics.count(answered.outcome, nanoseconds: watch.nanoseconds)
        if let unknown = answered.unknown { lookups?.begin(unknown.subscription, of: unknown.app) }
        return answered.result
    }

    /// Counts a body that is no call.
    package func countMalformed() { metrics.countMalformed() }

    private func answerInTime(_ signedPayload: String) async -> Answered {
        guard permits.acquire() else { return Answered(.failure(.tooMany)) }
        let due = ContinuousClock.now + limits.time
        // The rest is for the commit: once that has begun, nothing is taken back.
        let commit = due - limits.time / 5
        return await TimeLimit.value(by: due, otherwise: Answered(.failure(.tooSlow))) {
            // Work that goes on after the limit has its permit until it ends.
            defer { permits.release() }
            do throws(RetentionRefusal) {
                let call = try call(signedPayload)
                guard let app = apps[call.subscription.bundleId] else { throw .noRule }
                return await answer(call, of: app, committingBy: commit)
            } catch {
                return Answered(.failure(error))
            }
        }
    }

    /// A call that is Apple's, and young.
    private func call(_ signedPayload: String) throws(RetentionRefusal) -> RetentionCall {
        let call: RetentionCall
        do throws(SignedDataFault) {
            call = try reader.retentionCall(signedPayload)
        } catch {
            throw .notTaken(error)
        }
        let moment = now()
        guard call.signedDate.adding(seconds: Self.maximumAgeSeconds) >= moment else {
            throw .tooOld(signedDate: call.signedDate)
        }
        guard call.signedDate <= moment.adding(seconds: Self.maximumAgeSeconds) else {
            throw .inFuture(signedDate: call.signedDate)
        }
        return call
    }

    private func answer(
        _ call: RetentionCall,
        of app: RetentionApp,
        committingBy commit: ContinuousClock.Instant
    ) async -> Answered {
        let customer: RetentionCustomer
        do throws(StorageFailure) {
            customer = try await customers.customer(of: call.subscription, in: app.signing.app)
        } catch {
            return Answered(.failure(.state(error.detail)))
        }
        let moment = now()
        var walk = RetentionWalk(
            call: call,
            app: app,
            account: customer.account,
            policy: RetentionPolicy(
                app.rules,
                of: app.signing.app,
                productId: call.productId,
                locale: call.locale,
                customer: customer,
                now: moment,
                maximumHeldAgeSeconds: maximumHeldAgeSeconds,
                signsOffers: clock?.differenceFromApple == nil,
                drawingBy: customers.draw
            ),
            moment: moment
        )
        let result = await walk.result(in: ledger, committingBy: commit, service.stages, write)
        if case .success(let reply) = result, !reply.isRepeated { count(reply, of: app) }
        if case .failure(.noRule) = result { count(nil, of: app) }
        func count(_ reply: RetentionReply?, of app: RetentionApp) {
            let bundleId = app.signing.app.bundleId
            decisionLog?.log(walk.reasons, of: call.subscription, account: customer.account)
            for (offer, reason) in walk.reasons {
                service.decisions.count(
                    CountedDecision(
                        reason,
                        of: offer,
                        bundleId: bundleId,
                        environment: call.subscription.environment,
                        call: .retention
                    )
                )
            }
            for drawn in walk.drawn {
                service.holdouts?.record(
                    HoldoutCustomer(drawn, bundleId: bundleId, environment: call.subscription.environment)
                )
            }
            if let offer = reply?.offer { counters[bundleId]?.count(offer.offerId, as: .jws) }
        }
        let isUnknown = customer.book == nil || walk.reasons.contains { $0.reason.verdict == .unknown }
        return Answered(result, unknown: isUnknown ? (call.subscription, app.signing.app) : nil)
    }

    /// The outcome of a call, and the next question to the App Store.
    private struct Answered: Sendable {
        let result: Result<RetentionReply, RetentionRefusal>
        let unknown: (subscription: SubscriptionIdentity, app: App)?

        init(
            _ result: Result<RetentionReply, RetentionRefusal>,
            unknown: (subscription: SubscriptionIdentity, app: App)? = nil
        ) {
            self.result = result
            self.unknown = unknown
        }

        var outcome: RetentionMetrics.Outcome {
            switch result {
            case .success(let reply):
                switch reply.kind {
                case .message: reply.isRepeated ? .messageAgain : .message
                case .alternateProduct: reply.isRepeated ? .alternateProductAgain : .alternateProduct
                case .promotionalOffer: reply.isRepeated ? .promotionalOfferAgain : .promotionalOffer
                }
            case .failure(let refusal): refusal.outcome
            }
        }
    }
}
