import Offers

extension InjectedFault {
    /// Reads a fault.
    ///
    /// - Parameter members: The body of `POST /simulator/faults`.
    /// - Throws: ``RequestFault`` when it cannot be read.
    init(_ members: RequestMembers) throws(RequestFault) {
        try members.allow(
            "target",
            "environment",
            "times",
            "delayMilliseconds",
            "httpStatus",
            "garbage",
            "outage",
            "errorCode",
            "retryAfterSeconds",
            "receiptStatus",
            "isRetryable"
        )
        guard let target = Target(rawValue: try members.string("target") ?? Target.all.rawValue) else {
            throw .member("target", "One of verifyReceipt, serverAPI and all is expected.")
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
        if let code = try members.integer("errorCode") {
            guard (4_000_000...5_999_999).contains(code), target != .verifyReceipt else {
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
                detail: "Give one of httpStatus, garbage, outage, errorCode and receiptStatus, or delayMilliseconds."
            )
        }
        effect = effects.first ?? .none
    }
}

extension RequestMembers {
    /// The member `environment`.
    ///
    /// - Returns: Production or Sandbox; `nil` when the member is missing.
    /// - Throws: ``RequestFault`` when it is something else.
    func environment() throws(RequestFault) -> AppStoreEnvironment? {
        guard let text = try string("environment") else { return nil }
        guard let environment = AppStoreEnvironment(rawValue: text), [.production, .sandbox].contains(environment)
        else { throw .member("environment", "Production or Sandbox is expected.") }
        return environment
    }
}
