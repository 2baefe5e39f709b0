/// Another protocol than HTTP/1.1, known by the first bytes of a connection: a client or a load balancer is set up for it.
enum ForeignProtocol: Equatable {
    case tls
    case proxy
    case http2

    /// `nil` for what may be HTTP/1.1, and for what is not known.
    init?(_ bytes: some Collection<UInt8>) {
        // RFC 8446 §5.1: a handshake, of version 3.
        if bytes.starts(with: [0x16, 0x03]) {
            self = .tls
        } else if bytes.starts(with: "PROXY ".utf8) || bytes.starts(with: Self.secondProxy) {
            self = .proxy
        } else if bytes.starts(with: "PRI * HTTP/2.0".utf8) {
            // RFC 9113 §3.4.
            self = .http2
        } else {
            return nil
        }
    }

    /// The signature of version 2 of the PROXY protocol.
    private static let secondProxy: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    var detail: String {
        switch self {
        case .tls:
            "This is TLS, and the port speaks HTTP without it: ask with http://, or give the listener a certificate (tls)."
        case .proxy:
            "This begins with the PROXY protocol, which is not spoken here: switch it off in the load balancer (haproxy: "
                + "no send-proxy; nginx: no proxy_protocol)."
        case .http2:
            "This is HTTP/2, and the port speaks HTTP/1.1: have the client, or the proxy before the service, speak that."
        }
    }
}
