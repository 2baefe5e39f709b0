import Synchronization

/// What becomes known of a request on its way, for metrics and the log.
public final class RequestTrail: Sendable {
    private let name = Mutex<String?>(nil)

    /// Begins with nothing known.
    init() {}

    /// The name of the client that calls; `nil` until it has shown its token.
    var client: String? { name.withLock { $0 } }

    /// Takes note of the client that calls.
    ///
    /// - Parameter client: The client.
    /// - Returns: The same client.
    func note(_ client: Client) -> Client {
        name.withLock { $0 = client.name }
        return client
    }
}
