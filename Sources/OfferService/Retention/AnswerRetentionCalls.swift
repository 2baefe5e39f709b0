package import Offers

/// The use case behind Apple's calls for retention messages: what a customer is shown who is about to cancel.
///
/// It asks nobody but the store of states and the ledger, and answers within a limit or not at all. A signature that
/// leaves is in the ledger before, and one that does not leave is not in it.
package struct AnswerRetentionCalls: Sendable {
    /// The time that a call may take, and the number of calls at once.
    package struct Limits: Equatable, Sendable {
        /// How long a call may take.
        package let time: Duration
        /// How many are answered at once.
        package let calls: Int

        /// Creates limits.
        ///
        /// - Parameters:
        ///   - time: How long a call may take.
        ///   - calls: How many are answered at once.
        package init(time: Duration, calls: Int) {
            self.time = time
            self.calls = calls
        }
    }

    /// How old a call may be, in seconds, and how far ahead of the server's clock.
    static let maximumAgeSeconds: Int64 = 300

    private let apps: [String: RetentionApp]
    private let reader: any RetentionCallReader
    private let customers: RetentionCustomers
    private let ledger: any RetentionLedger
    private let lookups: RetentionLookups?
    private let counters: [String: SignatureCounters]
    private let service: ServiceMetrics
    private let metrics: RetentionMetrics
    private let maximumHeldAgeSeconds: Int64
    private let limits: Limits
    private let places: Places
    private let write: @Sendable (RetentionAnswer) -> [UInt8]
    private let now: @Sendable () -> Timestamp

    /// Creates the use case.
    ///
    /// - Parameters:
    ///   - apps: The apps whose catalog has rules.
    ///   - reader: Accepts Apple's calls, and refuses forgeries.
    ///   - memory: What the service remembers.
    ///   - ledger: Where signatures and answers are recorded before they leave.
    ///   - lookups: Asks the App Store about subscriptions that nobody knew; `nil` where it is not asked.
    ///   - service: What decisions and signatures are counted by.
    ///   - metrics: What calls are counted by.
    ///   - maximumHeldAgeSeconds: How old what is remembered may be once the paid time is over; 0 for no limit.
    ///   - limits: What a call may take, and how many there may be at once.
    ///   - now: The server's clock.
    ///   - write: Writes an answer as Apple reads it.
    package init(
        apps: [RetentionApp],
        reader: any RetentionCallReader,
        memory: StateMemory,
        ledger: any RetentionLedger,
        lookups: RetentionLookups?,
        service: ServiceMetrics,
        metrics: RetentionMetrics,
        maximumHeldAgeSeconds: Int64,
        limits: Limits,
        now: @escaping @Sendable () -> Timestamp,
        write: @escaping @Sendable (RetentionAnswer) -> [UInt8]
    ) {
        self.apps = Dictionary(apps.map { ($0.signing.app.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.reader = reader
        customers = RetentionCustomers(memory: memory)
        self.ledger = ledger
        self.lookups = lookups
        self.service = service
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
        places = Places(limits.calls)
        self.now = now
        self.write = write
        metrics.note(limit: limits.time)
    }

    /// Answers a call.
    ///
    /// - Parameter signedPayload: The `signedPayload` of the body.
    /// - Returns: The answer, which is on durable storage; or why there is none, and nothing was recorded.
    package func answer(_ signedPayload: String) async -> Result<RetentionReply, RetentionRefusal> {
        let watch = Stopwatch()
        let answered = await answerInTime(signedPayload)
        metrics.count(answered.outcome, nanoseconds: watch.nanoseconds)
        if let unknown = answered.unknown { lookups?.begin(unknown.subscription, of: unknown.app) }
        return answered.result
    }

    /// Counts a body that is no call.
    package func noteMalformed() { metrics.countMalformed() }

    private func answerInTime(_ signedPayload: String) async -> Answered {
        guard places.take() else { return Answered(.failure(.tooMany)) }
        let due = ContinuousClock.now + limits.time
        // The rest is for the commit: once that has begun, nothing is taken back.
        let commit = due - limits.time / 5
        return await TimeLimit.value(by: due, otherwise: Answered(.failure(.tooSlow))) {
            // Whatever goes on after the limit keeps its place until it ends.
            defer { places.giveBack() }
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
                maximumHeldAgeSeconds: maximumHeldAgeSeconds
            ),
            moment: moment
        )
        let result = await walk.result(in: ledger, committingBy: commit, service.rooms, write)
        if case .success(let reply) = result, !reply.isRepeated { count(reply, of: app) }
        if case .failure(.noRule) = result { count(nil, of: app) }
        func count(_ reply: RetentionReply?, of app: RetentionApp) {
            let bundleId = app.signing.app.bundleId
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
            if let offer = reply?.offer { counters[bundleId]?.count(offer.offerId, as: .jws) }
        }
        let isUnknown = customer.history == nil || walk.reasons.contains { $0.reason.verdict == .unknown }
        return Answered(result, unknown: isUnknown ? (call.subscription, app.signing.app) : nil)
    }

    /// What became of a call, and what is to be asked of the App Store now.
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
