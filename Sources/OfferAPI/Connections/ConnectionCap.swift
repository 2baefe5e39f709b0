import HummingbirdCore

/// Accepts no more connections when there are many more than a listener may have.
///
/// Somewhat more are accepted, to be told 503; when even those are too many, the kernel's queue has to do.
struct ConnectionCap: AvailableConnectionsDelegate {
    /// The connections of the listener.
    let census: ConnectionCensus
    /// How many connections the listener may have.
    let maximumConnections: Int

    func connectionOpened() {}

    func connectionClosed() {}

    func isAcceptingNewConnections() -> Bool {
        census.openConnections < maximumConnections + max(maximumConnections / 8, 16)
    }
}
