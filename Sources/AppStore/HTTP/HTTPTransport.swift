/// Sends requests to Apple's services.
protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: How long all of it may take.
    /// - Returns: The answer, whatever its status; redirects are not followed.
    /// - Throws: ``TransportFault`` when there is none.
    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse

    /// Closes the connections.
    func shutdown() async
}
