import OfferService
import Offers

/// `POST /try` and `POST /diagnose` on the operators' listener.
extension PublicEndpoints {
    /// Answers a call of an operator, who has shown a client's token.
    ///
    /// - Parameter request: The request, with the route that the call is like.
    func answerOperator(_ request: Request) {
        guard request.isWaiting else { return request.giveUp() }
        do throws(Problem) {
            request.open()
            guard let client = request.client else { throw .tokenMissing }
            let step =
                request.route == .eligibility
                ? try trial(request.body, client) : try diagnosis(request.body, client)
            switch step {
            case .now(let reply): request.finish(.success(reply))
            case .later(let work): request.wait(for: work)
            }
        } catch {
            request.finish(.failure(error))
        }
    }

    /// Decides about a customer with every rule, away from the event loop: there may be many offers.
    private func trial(_ body: [UInt8], _ client: Client) throws(Problem) -> Step<Reply, Problem> {
        let call = try EligibilityRequest(json: body, from: client).explained
        return .later(
            Self.work(evidence: call.evidence?.kind) { [signOffers] () async throws(SignatureFault) in
                Reply(try await signOffers.eligibility(call).value().json)
            }
        )
    }
}
