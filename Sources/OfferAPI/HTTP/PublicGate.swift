import HTTPTypes
import NIOCore

/// Decides by a request's head alone whether its body is worth reading, before anything of it is read.
struct PublicGate: Sendable {
    /// Sizes of bodies.
    let limits: ConnectionLimits
    /// The clients of the configuration in use.
    let clients: @Sendable () -> ClientDirectory
    /// Who has shown tokens that are nobody's.
    let failures: FailedAuthentications

    /// Judges a request.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - address: Tells who sends it; `nil` when the connection is gone.
    /// - Returns: Whether its body is worth reading.
    func judge(_ head: RequestHead, from address: () -> SocketAddress?) -> HeadJudgement {
        // A path is what it is: the router would take `//v1/signatures` and `/v1/signatures/` for calls, past this gate.
        guard let route = PublicRoute(head) else { return .refuse(.notFound) }
        guard route.takes(head.method) else {
            return .refuse(.methodNotAllowed(allow: route.allow))
        }
        do throws(Problem) {
            if let scope = route.scope {
                if route.method == .post {
                    _ = try clients().admitJSON(head, for: scope)
                } else {
                    _ = try clients().admit(head, for: scope)
                }
            }
            // Nearly always the target is the path.
            if head.target != route.path { _ = try QueryParameters(of: head.target, names: route.parameters) }
        } catch {
            guard error.status == 401 else { return .refuse(error) }
            let delay = failures.note(from: PeerNetwork(address()), at: ClientDirectory.uptime)
            return .refuse(error, after: TimeAmount(delay))
        }
        return .admit(
            maximumBodyBytes: route.takesMuch ? limits.maximumEvidenceBodyBytes : limits.maximumBodyBytes
        )
    }
}
