internal import FoundationEssentials
import Glibc

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
        guard components.path.isEmpty || components.path == "/", components.query == nil, components.fragment == nil,
            components.user == nil
        else {
            throw AddressFault(description: "give scheme, host and port alone; the paths are the service's")
        }
        // A port that no Int holds is there all the same.
        let port = components.rangeOfPort == nil ? 80 : components.port ?? 0
        guard (1...65_535).contains(port) else {
            throw AddressFault(description: "a port is a number from 1 to 65535")
        }
        self.host = host.trimmingPrefix("[").description.split(separator: "]").first.map(String.init) ?? host
        self.port = port
    }

    /// Whether it is this machine, told without asking a name server.
    public var isLoopback: Bool {
        if host.lowercased() == "localhost" { return true }
        // Every spelling that connecting understands, such as 127.1.
        var address = in_addr()
        if inet_aton(host, &address) != 0 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<in6_addr>.size)
        guard inet_pton(AF_INET6, host, &bytes) == 1 else { return false }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127]
        return bytes == [UInt8](repeating: 0, count: 15) + [1] || bytes.starts(with: mapped)
    }

    /// Host and port as the `Host` field has them (RFC 9110 §7.2).
    public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The URL.
    public var description: String { "http://\(authority)" }
}

/// Why an address cannot be used.
public struct AddressFault: Error, CustomStringConvertible {
    /// The reason, in words that follow the option's name.
    public let description: String
}
