import NIOCore

/// What all connections of a listener have in common.
struct HTTPConnectionSetup: Sendable {
    /// Sizes and times.
    let limits: ConnectionLimits
    /// The listener's connections.
    let census: ConnectionCensus
    /// What is made of a request by its head.
    let judge: @Sendable (RequestHead, () -> SocketAddress?) -> HeadJudgement
    /// TLS for the next connection; `nil` where it is not spoken.
    let tls: TLSIdentity?
    /// What lets requests in while there is not too much to do; `nil` for all of them.
    var admission: AdmissionControl?
    /// Where requests wait that are answered on the event loop; `nil` when everything goes to the router.
    var queues: LoopQueues?
    /// Called for every request that is refused before it was worked on, with its head where that was understood.
    var noteRefusal: @Sendable (RequestHead?, RequestIdentity, Problem) -> Void = { _, _, _ in }

    /// Whether TLS is spoken.
    var isSecure: Bool { tls != nil }
}
