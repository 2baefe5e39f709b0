import NIOCore
import NIOSSL
import NIOTLS

/// Stands behind the TLS handler, and reports failed handshakes: an operator finds out why a client cannot connect.
final class TLSHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let noteFailure: (String) -> Void

    init(noteFailure: @escaping (String) -> Void) {
        self.noteFailure = noteFailure
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if case TLSUserEvent.handshakeCompleted = event {
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A client that just goes has not failed: so do probes that check whether the port is open.
        if case NIOSSLError.handshakeFailed(.sslError(let faults)) = error, faults != [.eofDuringHandshake] {
            noteFailure(Self.reason(in: faults))
        }
        context.fireErrorCaught(error)
    }

    /// BoringSSL's words for an alert in the clear, which many clients of TLS 1.3 send in place of going on.
    private static let givenUp = "bad packet length"

    /// The words of the first fault, such as `no shared cipher`, without the places in its sources.
    private static func reason(in faults: NIOBoringSSLErrorStack) -> String {
        let text = faults.first.map { "\($0)" } ?? ""
        guard let words = text.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/) else { return "unknown" }
        let reason = words.1.replacing("_", with: " ").lowercased()
        guard reason == givenUp else { return reason }
        return "the client gave up, mostly as it does not trust the certificate (\(reason))"
    }
}

@available(*, unavailable)
extension TLSHandshakeHandler: Sendable {}
