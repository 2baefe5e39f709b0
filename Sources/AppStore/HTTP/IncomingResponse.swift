/// What came back.
struct IncomingResponse: Sendable {
    /// The HTTP status code.
    let status: Int
    /// `Retry-After` as it was sent.
    var retryAfter: String?
    /// The body.
    let body: [UInt8]
}
