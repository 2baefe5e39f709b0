import Crypto
import HTTPTypes
import NIOCore
import OfferService
import Offers

/// Calls with an `Idempotency-Key`: each is answered once, and the same call gets the same bytes again.
extension PublicEndpoints {
    /// Whether a call is not to be decided now: it has the answer that is kept, or waits while that is looked for.
    func isAnswered(_ called: ParsedCall, on loop: any EventLoop) -> Bool {
        guard let once = called.call.idempotency?.call else { return false }
        let (call, count) = (called.call, called.decisionCount)
        switch signOffers.storedAnswer(to: once) {
        case .now(let outcome):
            guard let reply = outcome?.reply else { return false }
            called.request.finish(reply)
        case .later(let work):
            wait(called.request, for: work) { [self] request in
                answer([ParsedCall(request: request, call: call, decisionCount: count)], on: loop)
            }
        }
        return true
    }

    /// Gives a request the answer that is kept; where there is none, it goes on.
    func answer(
        again call: IdempotentCall,
        for request: Request,
        otherwise goOn: @escaping @Sendable (Request) -> Void
    ) {
        switch signOffers.storedAnswer(to: call) {
        case .now(let outcome):
            guard let reply = outcome?.reply else { return goOn(request) }
            request.finish(reply)
        case .later(let work): wait(request, for: work, otherwise: goOn)
        }
    }

    private func wait(
        _ request: Request,
        for work: @escaping @Sendable () async throws(SignatureFault) -> GrantOutcome?,
        otherwise goOn: @escaping @Sendable (Request) -> Void
    ) {
        request.wait { () async throws(Problem) in
            do throws(SignatureFault) {
                return try await work()
            } catch {
                throw Problem(error, evidence: nil)
            }
        } goOn: { request, result in
            switch result {
            case .success(let outcome):
                guard let reply = outcome?.reply else { return goOn(request) }
                request.finish(reply)
            case .failure(let problem): request.finish(.failure(problem))
            }
        }
    }
}

extension Request {
    /// The call that its `Idempotency-Key` makes of it; `nil` without one.
    func onceCall(of client: Client) throws(Problem) -> IdempotentCall? {
        guard let key = try head.idempotencyKey(), let path = call?.path else { return nil }
        return IdempotentCall(client: client.name, path: path, key: key, request: Array(SHA256.hash(data: body)))
    }
}

extension GrantOutcome {
    /// The reply to a call that was answered before; `nil` for another outcome.
    var reply: Result<Reply, Problem>? {
        switch self {
        case .answered(let body):
            var reply = Reply(body)
            if let name = HTTPField.Name.idempotencyReplayed { reply.add([name: "true"]) }
            return .success(reply)
        case .keyReused: return .failure(.idempotencyKeyReused)
        case .recorded, .signatureLimit, .evidenceShared: return nil
        }
    }
}

extension HTTPField.Name {
    fileprivate static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")
}
