import Glibc
import NIOCore

/// Where a connection comes from, as far as one party has it to itself: an IPv4 address, or the first 64 bits of an IPv6
/// address (RFC 6177: a site gets at least that).
struct PeerNetwork: Hashable, Sendable {
    /// What an IPv4 address begins with as a socket for both IPv6 and IPv4 tells it (RFC 4291 §2.5.5.2).
    ///
    /// By its first 64 bits each would be of the same network as all others.
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    private let prefix: [UInt8]

    /// The network of an address.
    ///
    /// - Parameter address: The address; `nil` when it is none of the Internet.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    /// The network of an address in text.
    ///
    /// - Parameter text: The address (RFC 4291 §2.2 for IPv6, without a zone); `nil` when it is none.
    init?(_ text: String) {
        let address = String(text.prefix { $0 != "%" })
        for (family, size, kept) in [(AF_INET, 4, 4), (AF_INET6, 16, 8)] {
            var bytes = [UInt8](repeating: 0, count: size)
            guard inet_pton(family, address, &bytes) == 1 else { continue }
            prefix = Array(bytes.starts(with: Self.mapped) ? bytes.suffix(4) : bytes.prefix(kept))
            return
        }
        return nil
    }
}
