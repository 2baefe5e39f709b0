import NIOCore

/// A request on an event loop that its client may make, and whose body is read.
struct LoopWish<Call: OfferCall> {
    /// The request, which is to be finished once.
    let admitted: AdmittedCall
    /// What it asks for.
    let call: Call
    /// The app that it is for.
    let bundleId: String

    /// Admits and reads a request, or answers why not.
    ///
    /// - Parameters:
    ///   - loopCall: The request.
    ///   - endpoint: Its endpoint.
    ///   - route: Its route.
    ///   - clients: Who may call.
    ///   - telemetry: Takes note of the request.
    init?(
        _ loopCall: LoopCall,
        to endpoint: OfferEndpoint<Call>,
        at route: PublicRoute,
        by clients: ClientDirectory,
        _ telemetry: RequestTelemetry
    ) {
        guard let admitted = AdmittedCall(loopCall, to: endpoint, at: route, by: clients, telemetry) else { return nil }
        do throws(Problem) {
            (call, bundleId) = try endpoint.take(Array(loopCall.body.readableBytesView), from: admitted.client)
        } catch {
            admitted.finish(.failure(error))
            return nil
        }
        self.admitted = admitted
    }
}

@available(*, unavailable)
extension LoopWish: Sendable {}
