package import NIOCore

/// The sizes and times beyond which a listener refuses a request or closes a connection.
package struct ConnectionLimits: Equatable, Sendable {
    /// Connections at once; the next ones are answered 503.
    package private(set) var maximumConnections: Int
    /// Bytes of a request's target and of its fields' names and values in all; more is 431 (RFC 6585 §5).
    package let maximumHeaderBytes: Int
    /// Fields of a request's head; more is 431.
    package let maximumHeaderFields: Int
    /// Bytes of a body with evidence or product reports; more is 413.
    package let maximumEvidenceBodyBytes: Int
    /// Bytes of any other body; more is 413.
    package private(set) var maximumBodyBytes: Int
    /// Bytes of clients' unfinished bodies in the process: the next request is 503; 429 where its client has half.
    package let maximumUnfinishedBytes: Int
    /// The idle time between requests after which a connection is closed.
    package let idleTimeout: TimeAmount
    /// The time of a head from its first byte to its last; more is 408.
    ///
    /// A connection is closed that stays silent so long when new, or negotiates TLS so long.
    package let headerTimeout: TimeAmount
    /// The time of a request from its head to the end of its body; more is 408.
    package let requestTimeout: TimeAmount
    /// The time from there until all of the answer is written; more is 503, and ends the connection.
    package let answerTimeout: TimeAmount
    /// Offers in the process that wait to be signed and for the ledger; the next request is answered 503.
    package let maximumWaitingOffers: Int
    /// The time after the last answer in which further bytes are thrown away, so that the client can read the answer.
    ///
    /// A socket that is closed with bytes unread resets the connection, and the answer is lost (RFC 9112 §9.6).
    let lingerTimeout = TimeAmount.seconds(1)

    package init(
        maximumConnections: Int = 4096,
        maximumHeaderBytes: Int = 16 << 10,
        maximumHeaderFields: Int = 100,
        maximumEvidenceBodyBytes: Int = 1 << 20,
        maximumBodyBytes: Int = 16 << 10,
        maximumUnfinishedBytes: Int = 128 << 20,
        idleTimeout: TimeAmount = .seconds(75),
        headerTimeout: TimeAmount = .seconds(10),
        requestTimeout: TimeAmount = .seconds(30),
        answerTimeout: TimeAmount = .seconds(60),
        maximumWaitingOffers: Int = ConnectionLimits.waitingOffers(ofLoops: 1)
    ) {
        self.maximumConnections = maximumConnections
        self.maximumHeaderBytes = maximumHeaderBytes
        self.maximumHeaderFields = maximumHeaderFields
        self.maximumEvidenceBodyBytes = maximumEvidenceBodyBytes
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumUnfinishedBytes = maximumUnfinishedBytes
        self.idleTimeout = idleTimeout
        self.headerTimeout = headerTimeout
        self.requestTimeout = requestTimeout
        self.answerTimeout = answerTimeout
        self.maximumWaitingOffers = maximumWaitingOffers
    }

    /// Offers that may wait by default: a burst of 64 connections with twenty offers each, or 640 for each event loop where
    /// that is more, and a tenth more.
    package static func waitingOffers(ofLoops count: Int) -> Int { max(64 * offersOfBurst, 640 * count) * 11 / 10 }

    /// The offers of a request in a burst that has to be served; no more are counted for one that was not read yet.
    static let offersOfBurst = 20

    /// The same limits for another number of connections, and perhaps other bodies.
    package func lettingIn(_ connections: Int, maximumBodyBytes: Int? = nil) -> ConnectionLimits {
        var limits = self
        limits.maximumConnections = connections
        limits.maximumBodyBytes = maximumBodyBytes ?? limits.maximumBodyBytes
        return limits
    }
}
