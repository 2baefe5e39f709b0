import HTTPTypes

extension ClientDirectory {
    /// Decides by the head alone who calls, and whether they may make this call.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - scope: What the call needs.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401 or 403.
    func admit(_ head: HTTPRequest, for scope: ClientScope) throws(Problem) -> Client {
        guard let token = head.bearerToken, let client = client(presenting: token) else { throw .unauthorized }
        guard client.scopes.contains(scope) else { throw .scopeNotAllowed(scope) }
        return client
    }

    /// Decides by the head alone whether a JSON body is worth reading.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - scope: What the call needs.
    ///   - maximumBodyBytes: How many bytes the body may have.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401, 403, 413 or 415.
    func admit(_ head: HTTPRequest, for scope: ClientScope, maximumBodyBytes: Int) throws(Problem) -> Client {
        let client = try admit(head, for: scope)
        guard head.hasJSONBody else { throw .unsupportedMediaType }
        if let length = head.headerFields[.contentLength].flatMap(Int.init), length > maximumBodyBytes {
            throw .bodyTooLarge(limit: maximumBodyBytes)
        }
        return client
    }
}
