import NIOCore

/// What all connections of a listener on one event loop have in common.
///
/// It is a class so that handing it on copies nothing.
final class HTTPConnectionSetup {
    /// Sizes and times.
    let limits: ConnectionLimits
    /// The listener's connections.
    let census: ConnectionCensus
    /// What is made of a request by its head.
    let judge: (RequestHead, () -> SocketAddress?) -> HeadJudgement
    /// TLS for the next connection; `nil` where it is not spoken.
    let tls: TLSIdentity?
    /// What lets requests in while there is not too much to do; `nil` for all of them.
    let admission: AdmissionControl?
    /// Where requests wait that are answered on the event loop; `nil` when everything goes to the router.
    let queue: LoopQueue?
    /// Called for every request that is refused before it was worked on, with its head where that was understood.
    let noteRefusal: (RequestHead?, RequestIdentity, Problem) -> Void
    /// Called for every client with whom TLS did not come about, with the reason.
    let noteTLSFailure: (String) -> Void
    /// The time that answers tell.
    let date = HTTPDate()

    /// Whether TLS is spoken.
    var isSecure: Bool { tls != nil }

    /// Brings together what they have in common.
    ///
    /// - Parameters:
    ///   - limits: Sizes and times.
    ///   - census: The listener's connections.
    ///   - judge: What is made of a request by its head.
    ///   - tls: TLS for the next connection; `nil` where it is not spoken.
    ///   - admission: What lets requests in while there is not too much to do; `nil` for all of them.
    ///   - queue: Where requests wait that are answered on the event loop; `nil` when everything goes to the router.
    ///   - noteRefusal: Called for every request that is refused before it was worked on.
    ///   - noteTLSFailure: Called for every client with whom TLS did not come about.
    init(
        limits: ConnectionLimits,
        census: ConnectionCensus,
        judge: @escaping (RequestHead, () -> SocketAddress?) -> HeadJudgement,
        tls: TLSIdentity? = nil,
        admission: AdmissionControl? = nil,
        queue: LoopQueue? = nil,
        noteRefusal: @escaping (RequestHead?, RequestIdentity, Problem) -> Void = { _, _, _ in },
        noteTLSFailure: @escaping (String) -> Void = { _ in }
    ) {
        self.limits = limits
        self.census = census
        self.judge = judge
        self.tls = tls
        self.admission = admission
        self.queue = queue
        self.noteRefusal = noteRefusal
        self.noteTLSFailure = noteTLSFailure
    }
}

@available(*, unavailable)
extension HTTPConnectionSetup: Sendable {}
