import Glibc
import NIOCore
import Synchronization

/// How often each address has shown an unknown token, to slow down guesses.
///
/// Only requests without a good token count: a client is never slowed down by what others do at its address, such as
/// behind the same proxy. The table is bounded; an address that falls out of it begins anew.
public final class FailedAuthentications: Sendable {
    /// How many an address has in a second before it is slowed down, and how many at once.
    private static let limit = CellRate.Limit(perSecond: 1, burst: 10)
    /// How long an answer is held back where the address is not known; the limit holds none back longer.
    private static let maximumDelay = Duration.seconds(1)
    static let capacity = 4096

    private let table = Mutex<[PeerNetwork: CellRate]>([:])

    /// Begins without any failure.
    public init() {}

    /// Notes a failure.
    ///
    /// - Returns: How long the answer is held back.
    func note(from peer: PeerNetwork?, at now: Duration) -> Duration {
        guard let peer else { return Self.maximumDelay }
        return table.withLock { table in
            if table[peer] == nil, table.count >= Self.capacity { Self.makeRoom(in: &table, at: now) }
            return table[peer, default: CellRate()].take(1, within: Self.limit, at: now) ?? .zero
        }
    }

    /// Drops what has worn off, and all if there is nothing of the kind.
    private static func makeRoom(in table: inout [PeerNetwork: CellRate], at now: Duration) {
        table = table.filter { $0.value.backlog(at: now) > .zero }
        if table.count >= capacity { table.removeAll(keepingCapacity: true) }
    }
}

/// The network of a connection's client, as far as one party has it to itself: an IPv4 address, or the first 64 bits of
/// an IPv6 address (RFC 6177: a site gets at least that).
struct PeerNetwork: Hashable, Sendable {
    /// The beginning of an IPv4 address that a socket for both IPv6 and IPv4 gives (RFC 4291 §2.5.5.2).
    ///
    /// By their first 64 bits all of these would be one network.
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    private let prefix: [UInt8]

    /// The network of an address.
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
