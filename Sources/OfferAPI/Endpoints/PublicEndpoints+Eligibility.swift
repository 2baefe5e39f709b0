import OfferService
import Offers

/// `POST /v1/eligibility`.
extension PublicEndpoints {
    /// Answers a question about eligibility.
    func eligibility(_ body: [UInt8], _ client: Client, _ offers: inout Int) throws(Problem) -> Step<Reply, Problem> {
        let call = try signOffers.metrics.rooms.measure(.decode) { () throws(Problem) in
            try EligibilityRequest(json: body, from: client)
        }
        let signOffers = signOffers
        @Sendable func reply(_ answer: EligibilityAnswer) -> Reply {
            Reply(signOffers.metrics.rooms.measure(.encode) { answer.json })
        }
        let count = signOffers.decisionCount(of: call)
        guard count <= Self.offersPerTick else {
            // A whole catalog takes too long for an event loop on which others wait.
            return Self.later(evidence: call.evidence?.kind) { () async throws(SignatureFault) in
                reply(try await signOffers.eligibility(call).value())
            }
        }
        offers += count
        do throws(SignatureFault) {
            switch try signOffers.eligibility(call) {
            case .now(let answer): return .now(reply(answer))
            case .later(let work):
                return Self.later(evidence: call.evidence?.kind) { () async throws(SignatureFault) in
                    reply(try await work())
                }
            }
        } catch {
            throw Problem(error, evidence: call.evidence?.kind)
        }
    }

    /// The same work, with its faults as problems.
    static func later(
        evidence kind: EvidenceKind?,
        _ work: @escaping @Sendable () async throws(SignatureFault) -> Reply
    ) -> Step<Reply, Problem> {
        .later { () async throws(Problem) in
            do throws(SignatureFault) {
                return try await work()
            } catch {
                throw Problem(error, evidence: kind)
            }
        }
    }
}
