import NIOCore
import OfferService
import Offers

/// Answers `POST /v1/eligibility` on the event loop, without a task where nobody has to be waited for.
struct EligibilityOnLoop {
    /// What answers.
    let endpoint: EligibilityEndpoint
    /// The event loop, on which everything here is called.
    let loop: any EventLoop

    /// Answers requests, some of them later.
    ///
    /// - Parameter wishes: The requests.
    func answer(_ wishes: [LoopWish<EligibilityCall>]) {
        for wish in wishes {
            do throws(Problem) {
                switch try endpoint.begin(wish.call, of: wish.bundleId) {
                case .answered(let answer): wish.admitted.finish(.success(endpoint.encode(answer)))
                case .waiting(let undecided):
                    let (endpoint, kind) = (endpoint, wish.call.evidence?.kind)
                    wish.admitted.finish(on: loop) { () async throws(Problem) in
                        try await endpoint.goOn(with: undecided, evidence: kind)
                    }
                }
            } catch {
                wish.admitted.finish(.failure(error))
            }
        }
    }
}
