package import NIOCore

/// The sizes and times beyond which a listener refuses a request or closes a connection.
package struct ConnectionLimits: Equatable, Sendable {
    /// How many connections there may be at once; the next ones are answered 503.
    package private(set) var maximumConnections: Int
    /// How many bytes the target of a request's head and the names and values of its fields may have in all; more is 431
    /// (RFC 6585 §5).
    package let maximumHeaderBytes: Int
    /// How many fields a request's head may have; more is 431.
    package let maximumHeaderFields: Int
    /// How many bytes a body may have where evidence or product reports are sent; more is 413.
    package let maximumEvidenceBodyBytes: Int
    /// How many bytes a body may have elsewhere; more is 413.
    package private(set) var maximumBodyBytes: Int
    /// How many bytes of clients' bodies may be on their way in the process; the next request is answered 503.
    ///
    /// A client may have half of them; its next request is 429.
    package let maximumUnfinishedBytes: Int
    /// How long a connection may be idle between requests before it is closed.
    package let idleTimeout: TimeAmount
    /// How long a request's head may take from its first byte to its last, and a TLS handshake before it; more is 408.
    ///
    /// A new connection that stays silent so long is closed.
    package let headerTimeout: TimeAmount
    /// How long a request may take to come, from its head to the end of its body; more is 408.
    package let requestTimeout: TimeAmount
    /// How long its answer may take, from there until all of it is written; more is 503, and ends the connection.
    package let answerTimeout: TimeAmount
    /// How many offers may wait on an event loop to be signed and for the ledger; the next request is answered 503.
    package let maximumWaitingOffers: Int
    /// How long the rest of what a client sends is thrown away after the last answer, so that it can read the answer.
    ///
    /// A socket that is closed with bytes unread resets the connection, and the answer is lost (RFC 9112 §9.6).
    let lingerTimeout = TimeAmount.seconds(1)

    /// Creates limits.
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
        maximumWaitingOffers: Int = 160
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

    /// The same limits for another number of connections, and perhaps other bodies.
    package func lettingIn(_ connections: Int, maximumBodyBytes: Int? = nil) -> ConnectionLimits {
        var limits = self
        limits.maximumConnections = connections
        limits.maximumBodyBytes = maximumBodyBytes ?? limits.maximumBodyBytes
        return limits
    }
}
