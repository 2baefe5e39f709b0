/// An answer that the same call gets again, byte by byte, with no further record.
package struct KeptAnswer: Sendable {
    package let call: AnsweredCall
    /// The bytes, by the outcomes of the entry's grants.
    package let body: @Sendable ([GrantOutcome]) -> [UInt8]

    /// For how long an answer is kept.
    package static let lifetimeSeconds: Int64 = 3600

    package init(call: AnsweredCall, body: @escaping @Sendable ([GrantOutcome]) -> [UInt8]) {
        self.call = call
        self.body = body
    }
}

/// A call that is answered once.
package enum AnsweredCall: Hashable, Sendable {
    /// Apple's, by the name that Apple gave it.
    case retention(RetentionCallKey)
    /// A client's, by its `Idempotency-Key`.
    case client(IdempotentCall)
}

/// A client's call with an `Idempotency-Key`.
package struct IdempotentCall: Hashable, Sendable {
    /// The client's name.
    package let client: String
    package let path: String
    package let key: String
    /// The SHA-256 of the request's body: with another one it is not the same call.
    package let request: [UInt8]

    package init(client: String, path: String, key: String, request: [UInt8]) {
        self.client = client
        self.path = path
        self.key = key
        self.request = request
    }
}
