import Offers
import StrictJSON

/// A fault that a test asks for: which calls it is for, how often, and how it shows.
struct InjectedFault: Equatable, Sendable {
    /// The calls that can be at fault.
    enum Target: String, CaseIterable, Sendable {
        case verifyReceipt
        case serverAPI
        case all
    }

    /// How a fault shows, after the delay.
    enum Effect: Equatable, Sendable {
        /// Only the delay.
        case none
        /// An HTTP status with a body that is not JSON.
        case httpStatus(Int)
        /// 200 with a body that is not JSON.
        case garbage
        /// The connection is closed without an answer.
        case outage
        /// An error of the Server API; `Retry-After` in UNIX milliseconds where seconds are given.
        case errorCode(Int64, retryAfterSeconds: Int64?)
        /// A status of verifyReceipt.
        case receiptStatus(Int64, isRetryable: Bool?)
    }

    /// The calls.
    let target: Target
    /// The environment; `nil` for both.
    let environment: AppStoreEnvironment?
    /// How often it still shows; `nil` until it is removed.
    var times: Int64?
    /// How long an answer is held back, in milliseconds.
    let delayMilliseconds: Int64
    /// How it shows.
    let effect: Effect

    /// Whether it is for a call.
    ///
    /// - Parameters:
    ///   - target: The call.
    ///   - environment: Where it came in.
    /// - Returns: `true` when it is.
    func isFor(_ target: Target, in environment: AppStoreEnvironment) -> Bool {
        (self.target == .all || self.target == target)
            && (self.environment == nil || self.environment == environment)
    }

    /// Writes the fault as it can be asked for.
    ///
    /// - Parameter json: Where it is written.
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
