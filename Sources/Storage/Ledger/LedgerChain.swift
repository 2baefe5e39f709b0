import Crypto
public import Offers

/// The chain of one writer: each process that writes has its own, so that none waits for another.
///
/// Its beginning names how far the chain was that began before it, so that a chain cannot go without trace.
public struct LedgerChain: Equatable, Sendable {
    /// How far a chain is.
    public struct Head: Equatable, Sendable {
        /// The number of its last record; 0 when there is none.
        public var number: Int64
        /// The hash of its last record, or of its beginning.
        public var hash: [UInt8]
    }

    /// The writer's identifier: 16 random hexadecimal digits.
    public var writer: String
    /// When it began.
    public var startedAt: Timestamp
    /// The writer of the chain that began before; `nil` for the first of all.
    public var previousWriter: String?
    /// How far that chain was.
    public var previousHead: Head?

    /// When a chain begins: later than the one before it, whatever the clocks say, so that the next one names it.
    ///
    /// - Parameters:
    ///   - now: The server's clock.
    ///   - previous: The chain that began before; `nil` for the first of all.
    /// - Returns: The moment.
    static func start(at now: Timestamp, after previous: LedgerChain?) -> Timestamp {
        guard let previous else { return now }
        return max(now, previous.startedAt.adding(milliseconds: 1))
    }

    /// The hash of the chain's beginning.
    var beginning: [UInt8] {
        var message = CanonicalBytes("offer-signer ledger chain 1")
        message.append(writer)
        message.append(startedAt.millisecondsSince1970)
        message.append(previousWriter)
        message.append(previousHead?.number ?? 0)
        message.append(previousHead?.hash)
        return Array(SHA256.hash(data: message.bytes))
    }
}
