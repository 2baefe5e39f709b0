import NIOCore
import OfferService
import Offers

/// A request about a customer, as it was read.
struct ParsedCall {
    let request: Request
    let call: CustomerRequest
    let decisionCount: Int

    /// Whether it takes too long for an event loop on which others wait: a question about a whole catalog.
    var isLong: Bool { call.signatureCount == 0 && decisionCount > PublicEndpoints.offersPerTick }
}

/// The calls about customers: signatures, introductory signatures and eligibility.
///
/// Each step is done for all requests of a tick before the next step begins: the code of one step fits into the
/// processor's first-level cache, the code of all steps does not. The held state of all their customers is looked up at
/// once; if the store has to be asked, that is one question, one task and one wake of the event loop. The signatures of a
/// tick enter the ledger's queue together, and its commit wakes the event loop once. A request that has to ask the App
/// Store or the ledger waits in a task. It is signed on the event loop afterwards, if its client is still connected.
extension PublicEndpoints {
    private typealias Decided = (request: Request, decided: SignOffers.Decided)
    /// A request whose signatures wait for the ledger.
    private typealias Signed = (request: Request, prepared: PreparedAnswer)

    /// Reads a request; a request for signatures needs places in the queue, and takes signatures from the client's
    /// rate.
    ///
    /// Returns `nil` when it was refused; throws 400, 403 or 429.
    func read(_ request: Request, as call: CustomerCall, explaining: Bool) throws(Problem) -> ParsedCall? {
        guard let client = request.client else { throw .tokenMissing }
        let timeout = try request.head.timeout()
        let once = try request.call?.isForSignatures == true ? request.onceCall(of: client) : nil
        let call = try signOffers.metrics.stages.measure(.decode) { () throws(Problem) in
            try CustomerRequest(
                json: request.body,
                of: call,
                from: client,
                explaining: explaining,
                timeout: timeout,
                answeredOnceAs: once
            )
        }
        let count = call.signatureCount
        guard count > 0 else {
            return ParsedCall(request: request, call: call, decisionCount: signOffers.decisionCount(of: call))
        }
        guard request.move(to: .ledger(offers: count)) else {
            request.refuse(.overloaded)
            return nil
        }
        try clients.acquire(signatures: count, for: client)
        return ParsedCall(request: request, call: call, decisionCount: count)
    }

    /// Answers calls, with one look-up of the state held of all their customers.
    func answer(_ calls: [ParsedCall], on loop: any EventLoop) {
        guard !calls.isEmpty else { return }
        switch signOffers.customers(of: calls.map(\.call)) {
        case .now(let customers): answer(calls, for: customers, on: loop)
        case .later(let work):
            for called in calls { called.request.waitElsewhere() }
            let bound = NIOLoopBound(calls, eventLoop: loop)
            let count = calls.count
            Task {
                let customers: [CustomerStep]
                do throws(SignatureFault) {
                    customers = try await work()
                } catch {
                    customers = Array(repeating: .failure(error), count: count)
                }
                loop.execute { self.answer(bound.value, for: customers, on: loop) }
            }
        }
    }

    private func answer(_ calls: [ParsedCall], for customers: [CustomerStep], on loop: any EventLoop) {
        sign(decide(calls, for: customers, on: loop), on: loop)
    }

    /// Decides; a request that has to wait does so in a task.
    private func decide(_ calls: [ParsedCall], for customers: [CustomerStep], on loop: any EventLoop) -> [Decided] {
        var all: [Decided] = []
        all.reserveCapacity(calls.count)
        for (called, customer) in zip(calls, customers) {
            let (request, call) = (called.request, called.call)
            guard hasPlace(request, offers: call.signatureCount) else { continue }
            do throws(SignatureFault) {
                if called.isLong {
                    wait(request, for: call, on: loop) { [signOffers] () async throws(SignatureFault) in
                        try await signOffers.decide(call, for: customer).value()
                    }
                    continue
                }
                switch try signOffers.decide(call, for: customer) {
                case .now(let decided): all.append((request, decided))
                case .later(let work): wait(request, for: call, on: loop, work)
                }
            } catch {
                request.finish(.failure(Problem(error, evidence: call.evidence?.kind)))
            }
        }
        return all
    }

    /// Moves a request to its place before the ledger; `false` where its client has gone: nothing is signed for it.
    private func hasPlace(_ request: Request, offers count: Int) -> Bool {
        guard request.isWaiting else {
            request.abandon()
            return false
        }
        return count == 0 || request.move(to: .ledgerAfterWait(offers: count))
    }

    /// Waits for decisions in a task, and signs on the event loop afterwards.
    private func wait(
        _ request: Request,
        for call: CustomerRequest,
        on loop: any EventLoop,
        _ work: @escaping @Sendable () async throws(SignatureFault) -> SignOffers.Decided
    ) {
        request.wait { () async throws(Problem) in
            do throws(SignatureFault) {
                return try await work()
            } catch {
                throw Problem(error, evidence: call.evidence?.kind)
            }
        } goOn: { [self] (request, result: Result<SignOffers.Decided, Problem>) in
            switch result {
            case .success(let decided):
                guard hasPlace(request, offers: call.signatureCount) else { return }
                sign([(request, decided)], on: loop)
            case .failure(let problem): request.finish(.failure(problem))
            }
        }
    }

    /// Signs and records; the signatures of keys in tokens are waited for together.
    private func sign(_ all: [Decided], on loop: any EventLoop) {
        var signed: [Signed] = []
        signed.reserveCapacity(all.count)
        var waiting: [(request: Request, offers: Int)] = []
        var steps: [Step<PreparedAnswer, SignatureFault>] = []
        for (request, decided) in all {
            do throws(SignatureFault) {
                switch try signOffers.sign(decided) {
                case .now(let prepared): finish(prepared, of: request, into: &signed, on: loop)
                case let step:
                    guard request.waitElsewhere() else { continue }
                    waiting.append((request, decided.signatureCount))
                    steps.append(step)
                }
            } catch {
                request.finish(.failure(Problem(error, evidence: nil)))
            }
        }
        record(signed, on: loop)
        guard !steps.isEmpty else { return }
        let (bound, begun) = (NIOLoopBound(waiting, eventLoop: loop), steps)
        Task {
            var results: [Result<PreparedAnswer, SignatureFault>] = []
            for step in begun {
                do throws(SignatureFault) {
                    results.append(.success(try await step.value()))
                } catch {
                    results.append(.failure(error))
                }
            }
            let ended = results
            loop.execute { self.goOn(bound.value, with: ended, on: loop) }
        }
    }

    /// Records the signatures that tokens made; a client that has gone gets none.
    private func goOn(
        _ waiting: [(request: Request, offers: Int)],
        with results: [Result<PreparedAnswer, SignatureFault>],
        on loop: any EventLoop
    ) {
        var signed: [Signed] = []
        for ((request, offers), result) in zip(waiting, results) where hasPlace(request, offers: offers) {
            switch result {
            case .success(let prepared): finish(prepared, of: request, into: &signed, on: loop)
            case .failure(let fault): request.finish(.failure(Problem(fault, evidence: nil)))
            }
        }
        record(signed, on: loop)
    }

    /// A request of which nothing is signed is answered at once.
    private func finish(
        _ prepared: PreparedAnswer,
        of request: Request,
        into signed: inout [Signed],
        on loop: any EventLoop
    ) {
        if prepared.entry != nil {
            signed.append((request, prepared))
        } else if let call = prepared.idempotentCall {
            // The same call may have been answered elsewhere since: then this refusal is no answer to it.
            answer(again: call, for: request) { [signOffers] in $0.finish(signOffers.reply(prepared, by: [], to: $0)) }
        } else {
            request.finish(signOffers.reply(prepared, by: [], to: request))
        }
    }

    /// Has the ledger record the signatures, and gives out the recorded ones.
    private func record(_ signed: [Signed], on loop: any EventLoop) {
        guard !signed.isEmpty else { return }
        let bound = NIOLoopBound(signed, eventLoop: loop)
        signOffers.record(signed.compactMap(\.prepared.entry)) { [signOffers] places, result in
            loop.execute {
                let signed = places.map { bound.value[$0] }
                let replies = signed.enumerated().map { index, one in
                    result.mapError { Problem($0, evidence: nil) }.flatMap { outcomes in
                        // A grant without an outcome is not given out.
                        signOffers.reply(
                            one.prepared,
                            by: outcomes.indices.contains(index) ? outcomes[index] : [],
                            to: one.request
                        )
                    }
                }
                for (one, reply) in zip(signed, replies) { one.request.finish(reply) }
            }
        }
    }
}

extension SignOffers {
    fileprivate func reply(
        _ prepared: PreparedAnswer,
        by outcomes: [GrantOutcome],
        to request: Request
    ) -> Result<Reply, Problem> {
        if let kept = outcomes.first?.reply { return kept }
        // The lines of decisions name the request.
        let answer =
            decisionLog == nil
            ? release(prepared, by: outcomes)
            : RequestIdentity.$current.withValue(request.identity) { release(prepared, by: outcomes) }
        return .success(Reply(metrics.stages.measure(.encode) { answer.json }))
    }
}
