import HTTPTypes
import Hummingbird
import NIOCore
import Offers
import StrictJSON

/// A fault that a test asks for: which calls it is for, how often, and how it shows.
struct InjectedFault: Equatable, Sendable {
    enum Target: String, CaseIterable, Sendable {
        case verifyReceipt
        case serverAPI
        /// The set-up calls of the Retention Messaging API, which are calls of the Server API, too.
        case retention
        case appStoreConnect
        case all
    }

    /// How a fault shows, after the delay.
    enum Effect: Equatable, Sendable {
        case none
        /// An HTTP status with a body that is not JSON.
        case httpStatus(Int)
        /// 200 with a body that is not JSON.
        case garbage
        /// The connection is closed without an answer.
        case outage
        /// 404 without a body, as to an app that Apple has not granted access.
        case noAccess
        /// An error of the Server API; `Retry-After` in UNIX milliseconds where seconds are given.
        case errorCode(Int64, retryAfterSeconds: Int64?)
        /// A status of verifyReceipt.
        case receiptStatus(Int64, isRetryable: Bool?)
    }

    let target: Target
    /// The environment; `nil` for both.
    let environment: AppStoreEnvironment?
    /// How often it still shows; `nil` until it is removed.
    var times: Int64?
    /// How long an answer is held back, in milliseconds.
    let delayMilliseconds: Int64
    let effect: Effect

    func isFor(_ target: Target, in environment: AppStoreEnvironment) -> Bool {
        (self.target == .all || self.target == target)
            && (self.environment == nil || self.environment == environment)
    }

    func write(into json: inout JSONWriter) {
        json.object { json in
            json.member("target", target.rawValue)
            json.optional("environment", environment?.rawValue)
            json.optional("times", times)
            if delayMilliseconds > 0 { json.member("delayMilliseconds", delayMilliseconds) }
            switch effect {
            case .none: break
            case .httpStatus(let status): json.member("httpStatus", Int64(status))
            case .garbage: json.flag("garbage", true)
            case .outage: json.flag("outage", true)
            case .noAccess: json.flag("noAccess", true)
            case .errorCode(let code, let seconds):
                json.member("errorCode", code)
                json.optional("retryAfterSeconds", seconds)
            case .receiptStatus(let status, let isRetryable):
                json.member("receiptStatus", status)
                if let isRetryable { json.flag("isRetryable", isRetryable) }
            }
        }
    }
}

extension InjectedFault {
    init(_ members: RequestMembers) throws(RequestFault) {
        try members.allow([
            "target", "environment", "times", "delayMilliseconds", "httpStatus", "garbage", "outage", "noAccess",
            "errorCode", "retryAfterSeconds", "receiptStatus", "isRetryable",
        ])
        guard let target = Target(rawValue: try members.string("target") ?? Target.all.rawValue) else {
            throw .member("target", "One of verifyReceipt, serverAPI, retention, appStoreConnect and all is expected.")
        }
        self.target = target
        environment = try members.environment()
        times = try members.integer("times")
        if let times, times < 1 { throw .member("times", "At least 1 is expected; leave it out for every call.") }
        delayMilliseconds = try members.integer("delayMilliseconds") ?? 0
        guard (0...60_000).contains(delayMilliseconds) else {
            throw .member("delayMilliseconds", "0 to 60000 is expected.")
        }
        var effects: [Effect] = []
        if let status = try members.integer("httpStatus") {
            guard (200...599).contains(status) else { throw .member("httpStatus", "200 to 599 is expected.") }
            effects.append(.httpStatus(Int(status)))
        }
        if try members.boolean("garbage") == true { effects.append(.garbage) }
        if try members.boolean("outage") == true { effects.append(.outage) }
        if try members.boolean("noAccess") == true {
            guard target == .retention else { throw .member("noAccess", "The target retention is expected with it.") }
            effects.append(.noAccess)
        }
        if let code = try members.integer("errorCode") {
            guard (4_000_000...5_999_999).contains(code), ![.verifyReceipt, .appStoreConnect].contains(target) else {
                throw .member("errorCode", "A number such as 4290000 is expected, with the target serverAPI.")
            }
            effects.append(.errorCode(code, retryAfterSeconds: try members.integer("retryAfterSeconds")))
        }
        if let status = try members.integer("receiptStatus") {
            guard target == .verifyReceipt else {
                throw .member("receiptStatus", "A status such as 21005 needs the target verifyReceipt.")
            }
            effects.append(.receiptStatus(status, isRetryable: try members.boolean("isRetryable")))
        }
        guard effects.count < 2, !effects.isEmpty || delayMilliseconds > 0 else {
            throw RequestFault(
                status: 400,
                detail: "Give one of httpStatus, garbage, outage, noAccess, errorCode and receiptStatus, or "
                    + "delayMilliseconds."
            )
        }
        effect = effects.first ?? .none
    }
}

extension RequestMembers {
    /// The member `environment`: Production or Sandbox.
    func environment() throws(RequestFault) -> AppStoreEnvironment? {
        guard let text = try string("environment") else { return nil }
        guard let environment = AppStoreEnvironment(rawValue: text), [.production, .sandbox].contains(environment)
        else { throw .member("environment", "Production or Sandbox is expected.") }
        return environment
    }
}

/// Shows the faults that a test has asked for, before Apple's routes answer.
struct FaultMiddleware: RouterMiddleware {
    let store: SimulatedAppStore
    let target: InjectedFault.Target
    let environment: AppStoreEnvironment

    func handle(
        _ request: Request,
        context: SimulatorContext,
        next: (Request, SimulatorContext) async throws -> Response
    ) async throws -> Response {
        guard let fault = store.consumeFault(for: target, in: environment) else {
            return try await next(request, context)
        }
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
        case .noAccess: return Response(status: .notFound)
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
