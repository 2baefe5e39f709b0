internal import FoundationEssentials

/// Where a service listens: the part of `http://127.0.0.1:8080` that connections and requests need.
public struct ServiceAddress: Equatable, Sendable, CustomStringConvertible {
    /// The host's name or address, without brackets.
    public let host: String
    /// The port.
    public let port: Int

    /// Reads an address.
    ///
    /// - Parameter url: A URL with `http`, a host and perhaps a port, and no path.
    /// - Throws: ``AddressFault`` when it is another.
    public init(_ url: String) throws(AddressFault) {
        guard let components = URLComponents(string: url), let host = components.host, !host.isEmpty else {
            throw AddressFault(description: "this is no URL such as http://127.0.0.1:8080")
        }
        guard components.scheme?.lowercased() == "http" else {
            throw AddressFault(
                description: "the load generator speaks plain http; give the service's own http:// address"
            )
        }
        guard components.path.isEmpty || components.path == "/", components.query == nil, components.user == nil else {
            throw AddressFault(description: "give scheme, host and port alone; the paths are the service's")
        }
        guard (1...65_535).contains(components.port ?? 80) else {
            throw AddressFault(description: "a port is a number from 1 to 65535")
        }
        self.host = host.trimmingPrefix("[").description.split(separator: "]").first.map(String.init) ?? host
        port = components.port ?? 80
    }

    /// Whether it is this machine, told without asking a name server.
    public var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return host == "localhost" || host == "::1" || isIPv4 && parts.first == "127"
    }

    /// Host and port as the `Host` field has them (RFC 9110 §7.2).
    public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The URL.
    public var description: String { "http://\(authority)" }
}
