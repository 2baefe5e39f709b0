import NIOCore
import OfferService

/// A request on an event loop that its client may make: it is to be finished once.
///
/// It is a class so that handing it on copies nothing.
final class AdmittedCall {
    /// The request.
    let call: LoopCall
    /// Who asks.
    let client: Client

    private let route: PublicRoute
    private let clients: ClientDirectory
    private let telemetry: RequestTelemetry

    /// Lets a request in, or answers why not.
    ///
    /// - Parameters:
    ///   - call: The request.
    ///   - endpoint: Its endpoint.
    ///   - route: Its route.
    ///   - clients: Who may call.
    ///   - telemetry: Takes note of the request.
    init?(
        _ call: LoopCall,
        to endpoint: some BodyEndpoint,
        at route: PublicRoute,
        by clients: ClientDirectory,
        _ telemetry: RequestTelemetry
    ) {
        do throws(Problem) {
            client = try endpoint.admit(call.head)
        } catch {
            Self.send(LoopAnswer(error), for: call, at: route, to: nil, telemetry)
            return nil
        }
        self.call = call
        self.route = route
        self.telemetry = telemetry
        self.clients = clients
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

    /// Answers the request once somebody has been waited for.
    ///
    /// - Parameters:
    ///   - loop: The request's event loop.
    ///   - body: The body of the answer, JSON.
    func finish(on loop: any EventLoop, _ body: @escaping @Sendable () async throws(Problem) -> [UInt8]) {
        wait(on: loop, for: body) { $0.finish($1) }
    }

    /// Waits for somebody in a task of its own, and goes on on the event loop; the request's place is others' meanwhile.
    ///
    /// - Parameters:
    ///   - loop: The request's event loop.
    ///   - value: What is waited for.
    ///   - goOn: Goes on with the request: finishes it, or gives it up.
    func wait<Value: Sendable>(
        on loop: any EventLoop,
        for value: @escaping @Sendable () async throws(Problem) -> Value,
        goOn: @escaping @Sendable (AdmittedCall, Result<Value, Problem>) -> Void
    ) {
        call.progress.abandon()
        let identity = call.identity
        let bound = NIOLoopBound(self, eventLoop: loop)
        Task {
            let result: Result<Value, Problem> = await RequestIdentity.$current.withValue(identity) {
                do throws(Problem) {
                    return .success(try await value())
                } catch {
                    return .failure(error)
                }
            }
            loop.execute { goOn(bound.value, result) }
        }
    }

    /// Gives the request up, whose client has gone: it has no answer.
    func giveUp() {
        clients.end(client)
        call.progress.abandon()
        telemetry.note(
            call.identity,
            route: route.path,
            status: nil,
            client: client.name,
            nanoseconds: call.watch.nanoseconds
        )
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
        Self.send(consume answer, for: call, at: route, to: client, telemetry)
    }

    private static func send(
        _ answer: consuming LoopAnswer,
        for call: LoopCall,
        at route: PublicRoute,
        to client: Client?,
        _ telemetry: RequestTelemetry
    ) {
        call.progress.leave()
        answer.add(call.identity)
        telemetry.note(
            call.identity,
            route: route.path,
            status: answer.status,
            client: client?.name,
            nanoseconds: call.watch.nanoseconds
        )
        call.connection.send(answer)
    }
}

@available(*, unavailable)
extension AdmittedCall: Sendable {}
