extension ClientDirectory {
    /// Decides by the head alone who calls, and whether they may make this call.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - scope: What the call needs.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401 or 403.
    func admit(_ head: RequestHead, for scope: ClientScope) throws(Problem) -> Client {
        guard let token = head.token else { throw .tokenMissing }
        guard let client = client(with: token) else { throw .tokenUnknown }
        guard client.scopes.contains(scope) else { throw .scopeNotAllowed(scope) }
        return client
    }

    /// Decides by the head alone whether a JSON body is worth reading.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - scope: What the call needs.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401, 403 or 415.
    func admitJSON(_ head: RequestHead, for scope: ClientScope) throws(Problem) -> Client {
        let client = try admit(head, for: scope)
        guard head.hasJSONBody else { throw .unsupportedMediaType }
        guard !head.hasContentCoding else { throw .unsupportedContentCoding }
        return client
    }
}
