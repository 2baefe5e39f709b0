/// Evidence that cannot be taken: it is not what it should be, it is not genuine, or nobody can tell now.
public struct EvidenceFault: Error, Equatable {
    /// Whose fault it is.
    public enum Kind: Equatable, Sendable {
        /// The text is not of the form that this kind of evidence has.
        case malformed
        /// The form is right, but Apple refuses it, or Apple cannot have made it.
        case rejected
        /// The catalog lacks what this kind of evidence takes: it is not supported for the app.
        case unsupported
        /// Nobody can tell now: Apple is out of reach, or does not take the service's own credentials.
        case unavailable(retryAfterSeconds: Int)
    }

    /// Whose fault it is.
    public let kind: Kind
    /// The fault's name in answers, in snake case.
    public let code: String
    /// The fault in a sentence or two.
    public let detail: String
    /// The member of `evidence` that the fault is in; `nil` for the one that names the kind of evidence.
    public let member: String?
    /// The JSON Pointer (RFC 6901) of the value at fault, from the evidence's own value on; empty for all of it.
    public let pointer: String

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - kind: Whose fault it is.
    ///   - code: The fault's name in answers, in snake case.
    ///   - detail: The fault in a sentence or two.
    ///   - member: The member of `evidence` that the fault is in; `nil` for the one that names the kind.
    ///   - pointer: The JSON Pointer of the value at fault, from the evidence's own value on.
    public init(_ kind: Kind, code: String, detail: String, member: String? = nil, pointer: String = "") {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.member = member
        self.pointer = pointer
    }
}
