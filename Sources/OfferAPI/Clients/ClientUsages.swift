import Synchronization

/// What all clients have asked for, by their names: made once, and handed to each new directory of clients.
public final class ClientUsages: Sendable {
    private let usages = Mutex<[String: ClientUsage]>([:])

    /// Begins without any client.
    public init() {}

    /// The usage of a client.
    ///
    /// - Parameter name: The client's name.
    /// - Returns: The usage, the same for the same name.
    func usage(of name: String) -> ClientUsage {
        usages.withLock { usages in
            if let known = usages[name] { return known }
            let new = ClientUsage()
            usages[name] = new
            return new
        }
    }
}
