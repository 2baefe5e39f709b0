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
    /// - Parameter fields: The request's header fields.
    init(_ fields: RequestFields) {
        let authorization = fields.authorization
        func isSafe(_ text: String) -> Bool {
            // Of two tokens nobody can say which one it is that must not be repeated.
            authorization.isUnambiguous && !Self.isRepeated(text, in: authorization.value ?? "")
        }
        id = fields.requestID.value.flatMap { isSafe($0) ? RequestID($0) : nil } ?? RequestID()
        traceParent = fields.traceParent.value.flatMap { TraceParent($0) }
        let states = traceParent == nil ? [] : fields.traceStates
        traceState = states.isEmpty ? nil : TraceState(states).flatMap { isSafe($0.text) ? $0 : nil }
    }

    /// The header field of the answer, `X-Request-ID`.
    var fields: HTTPFields { Self.idField.map { [$0: id.text] } ?? [:] }

    /// The name of the header field of the answer.
    static let idFieldName = "X-Request-ID"

    private static let idField = HTTPField.Name(idFieldName)

    /// Whether a text holds the credentials of `Authorization`, or a good piece of them.
    private static func isRepeated(_ text: String, in authorization: String) -> Bool {
        let credentials = authorization.split(separator: " ").last ?? ""
        return text.count >= 8 && authorization.contains(text) || credentials.count >= 8 && text.contains(credentials)
    }
}
