import HTTPTypes
import Hummingbird
import NIOCore
import Offers

/// Shows the faults that a test has asked for, before Apple's routes answer.
struct FaultMiddleware: RouterMiddleware {
    /// The App Store.
    let store: SimulatedAppStore
    /// The calls that it stands before.
    let target: InjectedFault.Target
    /// The environment that it stands before.
    let environment: AppStoreEnvironment

    func handle(
        _ request: Request,
        context: SimulatorContext,
        next: (Request, SimulatorContext) async throws -> Response
    ) async throws -> Response {
        guard let fault = store.takeFault(for: target, in: environment) else { return try await next(request, context) }
        if fault.delayMilliseconds > 0 { try await Task.sleep(for: .milliseconds(fault.delayMilliseconds)) }
        switch fault.effect {
        case .none: return try await next(request, context)
        case .httpStatus(let code):
            // These two have no body (RFC 9110 §6.4.1).
            guard code != 204, code != 304 else { return Response(status: .init(code: code)) }
            return .text("Injected by the simulator.\n", status: .init(code: code))
        case .garbage: return .text("<html>\u{0}garbage", status: .ok)
        case .outage:
            try await context.channel.close()
            throw CancellationError()
        case .errorCode(let code, let seconds):
            let error = ServerAPIError.injected(code)
            var response = Response.json(error.json, status: .init(code: error.status))
            if let seconds = seconds ?? (code == 4_290_000 ? 1 : nil) {
                // Apple's Retry-After is a moment in UNIX milliseconds ("Identifying rate limits"); here, by the machine's
                // clock, which is the caller's too.
                let moment = SimulatedClock.machine.adding(seconds: seconds)
                response.headers[.retryAfter] = String(moment.millisecondsSince1970)
            }
            return response
        case .receiptStatus(let status, let isRetryable):
            return .json(VerifyReceiptAnswer.status(status, isRetryable: isRetryable))
        }
    }
}
