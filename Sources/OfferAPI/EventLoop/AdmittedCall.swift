import OfferService

/// A request on an event loop that its client may make: it is to be finished once.
///
/// It is a class so that handing it on copies nothing.
final class AdmittedCall {
    /// The request.
    let call: LoopCall
    /// Who asks.
    let client: Client

    private let clients: ClientDirectory
    private let telemetry: RequestTelemetry

    /// Lets a request in, or answers why not.
    ///
    /// - Parameters:
    ///   - call: The request.
    ///   - endpoints: What the configuration in use answers with.
    ///   - telemetry: Takes note of the request.
    init?(_ call: LoopCall, by endpoints: LoopEndpoints, _ telemetry: RequestTelemetry) {
        do throws(Problem) {
            client = try endpoints.signatures.admit(call.head)
        } catch {
            Self.send(LoopAnswer(error), for: call, to: nil, telemetry)
            return nil
        }
        self.call = call
        self.telemetry = telemetry
        clients = endpoints.clients
        do throws(Problem) {
            try clients.begin(client)
        } catch {
            answer(.failure(error))
            return nil
        }
    }

    /// Answers the request, of which nothing else is left to do.
    ///
    /// - Parameter result: The body of the answer, JSON; or why there is none.
    func finish(_ result: Result<[UInt8], Problem>) {
        clients.end(client)
        answer(result)
    }

    private func answer(_ result: Result<[UInt8], Problem>) {
        var answer: LoopAnswer
        switch result {
        case .success(let body): answer = LoopAnswer(ok: body)
        case .failure(let problem):
            if problem.status >= 500 {
                RequestIdentity.$current.withValue(call.identity) { telemetry.noteFault(problem) }
            }
            answer = LoopAnswer(problem)
        }
        answer.add(clients.rateLimitFields(of: client))
        Self.send(consume answer, for: call, to: client, telemetry)
    }

    private static func send(
        _ answer: consuming LoopAnswer,
        for call: LoopCall,
        to client: Client?,
        _ telemetry: RequestTelemetry
    ) {
        call.progress.leave()
        answer.add(call.identity)
        telemetry.note(
            call.identity,
            route: PublicRoute.signatures.path,
            status: answer.status,
            client: client?.name,
            nanoseconds: call.watch.nanoseconds
        )
        call.connection.send(answer)
    }
}

@available(*, unavailable)
extension AdmittedCall: Sendable {}
