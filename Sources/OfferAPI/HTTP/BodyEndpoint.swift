/// A call with a JSON body, without the transport: plain functions from a request's head and body to the answer's body.
protocol BodyEndpoint: Sendable {
    /// Decides by the head alone whether the body is worth reading.
    ///
    /// - Parameter head: The request's head.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401, 403 or 415.
    func admit(_ head: RequestHead) throws(Problem) -> Client

    /// Answers a call.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - client: The client that calls.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 400, 403, 422, 429 or 503.
    func answer(_ body: [UInt8], for client: Client) async throws(Problem) -> [UInt8]
}
