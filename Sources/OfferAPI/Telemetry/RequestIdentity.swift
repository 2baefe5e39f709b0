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
    /// What tracing systems keep beside it; `nil` without a trace (Trace Context §3.4).
    let traceState: TraceState?

    /// The header fields `traceparent` and `tracestate` for what is asked of others on the request's behalf; none without
    /// a trace.
    public var traceFields: [(name: String, value: String)] {
        guard let traceParent else { return [] }
        return [("traceparent", traceParent.text)] + (traceState.map { [("tracestate", $0.text)] } ?? [])
    }

    /// Reads the head of a request.
    ///
    /// An identifier that does not go into logs as it is, and one in which the request's own token is repeated, are
    /// replaced by one that is made; a `tracestate` with the token in it is left out.
    ///
    /// - Parameter headers: The request's header fields.
    init(_ headers: HTTPFields) {
        let sent = headers.onlyValue(of: Self.idField)
        let authorization = headers[.authorization] ?? ""
        let isSafe = sent.map { !Self.isRepeated($0, in: authorization) } ?? false
        id = (isSafe ? sent.flatMap { RequestID($0) } : nil) ?? RequestID()
        traceParent = headers.onlyValue(of: Self.traceParentField).flatMap { TraceParent($0) }
        let states = traceParent == nil ? [] : Self.traceStateField.map { headers[values: $0] } ?? []
        traceState = TraceState(states).flatMap { Self.isRepeated($0.text, in: authorization) ? nil : $0 }
    }

    /// The header field of the answer, `X-Request-ID`.
    var fields: HTTPFields { Self.idField.map { [$0: id.text] } ?? [:] }

    private static let idField = HTTPField.Name("X-Request-ID")
    private static let traceParentField = HTTPField.Name("traceparent")
    private static let traceStateField = HTTPField.Name("tracestate")

    /// Whether a text holds the credentials of `Authorization`, or a good piece of them.
    private static func isRepeated(_ text: String, in authorization: String) -> Bool {
        let credentials = authorization.split(separator: " ").last ?? ""
        return text.count >= 8 && authorization.contains(text) || credentials.count >= 8 && text.contains(credentials)
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
