/// A host and a TCP port to accept connections on.
struct ListenAddress: Equatable, Sendable {
    /// A host name or an address, IPv6 without brackets.
    let host: String
    /// The port; 0 for any free one.
    let port: Int

    /// Whether only this machine can reach the host: 127.0.0.0/8, ::1 or `localhost`.
    ///
    /// The demo key and the demo token are refused on any other.
    var isLoopback: Bool { HostName.isLoopback(host) }
}
