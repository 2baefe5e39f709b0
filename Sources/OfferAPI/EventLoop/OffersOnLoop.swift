import HTTPTypes
import NIOCore

/// Answers `POST /v1/signatures` and `POST /v1/eligibility` on the event loop.
///
/// Each step is taken for all requests of a tick before the next one: a step's code fits into the processor's first cache,
/// and that of all steps together does not.
struct OffersOnLoop: LoopResponder {
    /// How many offers are decided before the event loop looks after its connections again.
    private static var offersPerTick: Int { 256 }

    /// What the configuration in use answers with.
    let endpoints: @Sendable () -> LoopEndpoints
    /// Takes note of the requests.
    let telemetry: RequestTelemetry

    func queue(of head: RequestHead) -> AdmissionControl.Queue? {
        guard head.method == .post else { return nil }
        return switch head.target {
        case PublicRoute.signatures.path: .signature
        case PublicRoute.eligibility.path: .answer
        default: nil
        }
    }

    func answer(_ calls: [LoopCall], on loop: any EventLoop) -> Int {
        let endpoints = endpoints()
        let clients = endpoints.clients
        var signatures: [LoopWish<SignatureCall>] = []
        signatures.reserveCapacity(calls.count)
        var eligibility: [LoopWish<EligibilityCall>] = []
        var (taken, offers) = (0, 0)
        for call in calls {
            guard offers < Self.offersPerTick else { break }
            taken += 1
            offers += 1
            call.progress.begin()
            // Who has gone gets nothing signed.
            guard call.connection.isWaiting else {
                call.progress.abandon()
                continue
            }
            if call.head.target == PublicRoute.eligibility.path {
                let endpoint = endpoints.eligibility
                guard let wish = LoopWish(call, to: endpoint, at: .eligibility, by: clients, telemetry) else {
                    continue
                }
                let count = endpoint.decisionCount(of: wish.call, for: wish.bundleId)
                guard count <= Self.offersPerTick else {
                    // A whole catalog takes too long for an event loop on which others wait.
                    let (call, bundleId) = (wish.call, wish.bundleId)
                    wish.admitted.finish(on: loop) { () async throws(Problem) in
                        try await endpoint.answer(call, of: bundleId)
                    }
                    continue
                }
                offers += count
                eligibility.append(wish)
            } else {
                let endpoint = endpoints.signatures
                guard let wish = LoopWish(call, to: endpoint, at: .signatures, by: clients, telemetry) else { continue }
                offers += wish.call.offers.count
                signatures.append(wish)
            }
        }
        SignaturesOnLoop(endpoint: endpoints.signatures, loop: loop).answer(signatures)
        EligibilityOnLoop(endpoint: endpoints.eligibility, loop: loop).answer(eligibility)
        return taken
    }
}
