import HTTPTypes
public import Logging

/// By what a request is known in logs, in its answer and on its way to others.
public struct RequestIdentity: Sendable {
    /// The request that the current task works for; `nil` outside of one.
    @TaskLocal public static var current: RequestIdentity?

    /// What every log line of a request carries: `requestId`, and `traceId` where there is a trace.
    public static let metadataProvider = Logger.MetadataProvider {
        guard let current else { return [:] }
        var metadata: Logger.Metadata = ["requestId": "\(current.id.text)"]
        if let trace = current.traceParent { metadata["traceId"] = "\(trace.traceId)" }
        return metadata
    }

    let id: RequestID
    let traceParent: TraceParent?

    /// The value of `traceparent` for what is asked of others on the request's behalf; `nil` without a trace.
    public var traceParentField: String? { traceParent?.text }

    /// Reads the head of a request.
    ///
    /// An identifier that does not go into logs as it is, and one in which the request's own token is repeated, are
    /// replaced by one that is made.
    ///
    /// - Parameter headers: The request's header fields.
    init(_ headers: HTTPFields) {
        let sent = headers.onlyValue(of: Self.idField)
        let authorization = headers[.authorization] ?? ""
        let isSafe = sent.map { !Self.isRepeated($0, in: authorization) } ?? false
        id = (isSafe ? sent.flatMap { RequestID($0) } : nil) ?? RequestID()
        traceParent = headers.onlyValue(of: Self.traceParentField).flatMap { TraceParent($0) }
    }

    /// The header fields of the answer, with `X-Request-ID`.
    ///
    /// - Parameter headers: The header fields without it.
    /// - Returns: All of them.
    func named(_ headers: HTTPFields) -> HTTPFields {
        var headers = headers
        if let name = Self.idField { headers[name] = id.text }
        return headers
    }

    private static let idField = HTTPField.Name("X-Request-ID")
    private static let traceParentField = HTTPField.Name("traceparent")

    /// Whether an identifier holds the credentials of `Authorization`, or a good piece of them.
    private static func isRepeated(_ id: String, in authorization: String) -> Bool {
        let credentials = authorization.split(separator: " ").last ?? ""
        return id.count >= 8 && authorization.contains(id) || credentials.count >= 8 && id.contains(credentials)
    }
}

extension HTTPFields {
    /// The value of a field that counts only where it is there once.
    fileprivate func onlyValue(of name: HTTPField.Name?) -> String? {
        guard let name else { return nil }
        let values = self[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
