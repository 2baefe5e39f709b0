import NIOCore
import OfferService
import Offers

/// A request for signatures, with what it asks for.
typealias SignatureCall = (request: Request, call: SignatureRequest)

/// `POST /v1/signatures`.
///
/// Each step is taken for all requests of a tick before the next one: a step's code fits into the processor's first cache,
/// and that of all steps together does not. There is one entry into the ledger's queue for a tick, and one wake of the
/// event loop for its commit. What has to ask the App Store, the store of states or the ledger waits in a task of its own,
/// and is signed on the event loop when the client still is there.
extension PublicEndpoints {
    /// A request whose signatures wait for the ledger.
    private typealias Signed = (request: Request, prepared: PreparedAnswer)

    /// Reads a request, and takes its signatures from the client's rate, when the client may make it and there is room.
    ///
    /// - Parameter request: The request.
    /// - Returns: What it asks for; `nil` when it was refused.
    /// - Throws: `Problem` 400, 403 or 429.
    func signatureRequest(of request: Request) throws(Problem) -> SignatureRequest? {
        guard let client = request.client else { throw .tokenMissing }
        let call = try signOffers.metrics.rooms.measure(.decode) { () throws(Problem) in
            try SignatureRequest(json: request.body, from: client)
        }
        guard request.move(to: .ledger(offers: call.offers.count)) else {
            request.refuse(.overloaded)
            return nil
        }
        try clients.take(signatures: call.offers.count, for: client)
        return call
    }

    /// Answers requests, some of them later.
    func answerSignatures(_ calls: [SignatureCall], on loop: any EventLoop) {
        record(sign(decide(calls, on: loop)), on: loop)
    }

    /// Decides, with one look at what is held of all customers; who has to wait for somebody does so in a task.
    private func decide(
        _ calls: [SignatureCall],
        on loop: any EventLoop
    ) -> [(request: Request, decided: SignOffers.Decided)] {
        var all: [(request: Request, decided: SignOffers.Decided)] = []
        all.reserveCapacity(calls.count)
        for ((request, call), step) in zip(calls, signOffers.decide(calls.map(\.call))) {
            let kind = call.evidence?.kind
            do throws(SignatureFault) {
                switch try step.get() {
                case .now(let decided): all.append((request, decided))
                case .later(let work):
                    request.wait { () async throws(Problem) in
                        do throws(SignatureFault) {
                            return try await work()
                        } catch {
                            throw Problem(error, evidence: kind)
                        }
                    } goOn: { [self] request, result in
                        goOn(with: request, result, offers: call.offers.count, on: loop)
                    }
                }
            } catch {
                request.finish(.failure(Problem(error, evidence: kind)))
            }
        }
        return all
    }

    /// Goes on with a request that has waited: who has gone meanwhile gets nothing signed.
    private func goOn(
        with request: Request,
        _ result: Result<SignOffers.Decided, Problem>,
        offers: Int,
        on loop: any EventLoop
    ) {
        switch result {
        case .success(let decided):
            guard request.isWaiting else { return request.giveUp() }
            request.move(to: .ledgerAfterWait(offers: offers))
            record(sign([(request, decided)]), on: loop)
        case .failure(let problem): request.finish(.failure(problem))
        }
    }

    /// Signs; what has nothing signed is answered at once.
    private func sign(_ all: [(request: Request, decided: SignOffers.Decided)]) -> [Signed] {
        var signed: [Signed] = []
        signed.reserveCapacity(all.count)
        for (request, decided) in all {
            do throws(SignatureFault) {
                let prepared = try signOffers.sign(decided)
                if prepared.entry == nil {
                    request.finish(release(prepared, by: .success([])))
                } else {
                    signed.append((request, prepared))
                }
            } catch {
                request.finish(.failure(Problem(error, evidence: nil)))
            }
        }
        return signed
    }

    private func record(_ signed: [Signed], on loop: any EventLoop) {
        guard !signed.isEmpty else { return }
        let bound = NIOLoopBound(signed, eventLoop: loop)
        signOffers.record(signed.compactMap(\.prepared.entry)) { [self] result in
            loop.execute {
                let signed = bound.value
                let replies = signed.enumerated().map { index, one in
                    // What has no outcome is not given out.
                    self.release(one.prepared, by: result.map { $0.indices.contains(index) ? $0[index] : [] })
                }
                for (one, reply) in zip(signed, replies) { one.request.finish(reply) }
            }
        }
    }

    /// The answer, once the ledger has spoken.
    private func release(
        _ prepared: PreparedAnswer,
        by outcomes: Result<[GrantOutcome], SignatureFault>
    ) -> Result<Reply, Problem> {
        do throws(SignatureFault) {
            let answer = signOffers.release(prepared, by: try outcomes.get())
            return .success(Reply(signOffers.metrics.rooms.measure(.encode) { answer.json }))
        } catch {
            return .failure(Problem(error, evidence: nil))
        }
    }
}
