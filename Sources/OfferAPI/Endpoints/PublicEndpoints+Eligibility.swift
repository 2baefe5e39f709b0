import OfferService
import Offers

/// `POST /v1/eligibility`.
extension PublicEndpoints {
    /// Reads a question about eligibility.
    func eligibilityCall(of request: Request) throws(Problem) -> EligibilityRequest {
        guard let client = request.client else { throw .tokenMissing }
        return try signOffers.metrics.rooms.measure(.decode) { () throws(Problem) in
            try EligibilityRequest(json: request.body, from: client)
        }
    }

    /// Answers questions about eligibility, some of them later.
    func answer(_ calls: CustomerCalls.OfKind<EligibilityRequest>, for customers: ArraySlice<CustomerStep>) {
        let signOffers = signOffers
        @Sendable func reply(_ answer: EligibilityAnswer) -> Reply {
            Reply(signOffers.metrics.rooms.measure(.encode) { answer.json })
        }
        for ((request, call), customer) in zip(calls, customers) {
            guard request.isWaiting else {
                request.giveUp()
                continue
            }
            let kind = call.evidence?.kind
            do throws(SignatureFault) {
                var customer = try customer.get()
                if signOffers.decisionCount(of: call) > Self.offersPerTick {
                    // A whole catalog takes too long for an event loop on which others wait.
                    customer = .later { [customer] () async throws(SignatureFault) in try await customer.value() }
                }
                let step = try customer.then { customer in signOffers.eligibility(call, for: customer) }
                switch step {
                case .now(let answer): request.finish(.success(reply(answer)))
                case .later(let work):
                    request.wait(
                        for: Self.work(evidence: kind) { () async throws(SignatureFault) in reply(try await work()) }
                    )
                }
            } catch {
                request.finish(.failure(Problem(error, evidence: kind)))
            }
        }
    }
}
