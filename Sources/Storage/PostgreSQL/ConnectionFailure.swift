import Glibc

/// Why libpq made no connection where the server gave no code, by what libpq says; its messages are in English, as nothing
/// sets a locale.
struct ConnectionFailure {
    /// What libpq says of each address that it tried.
    private let attempts: [String]

    init(_ attempts: [String]) { self.attempts = attempts }

    /// The errors of a host that has no server now, or does not answer: they may end by themselves.
    private static let silence =
        [ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ECONNRESET, EPIPE].map {
            String(cString: strerror($0))
        }
        + ["server closed the connection unexpectedly", String(cString: gai_strerror(EAI_AGAIN))]

    /// What libpq says where nothing but a change can help, and what to change.
    private static let fixes = [
        ("certificate verify failed", "sslrootcert has to name the CA of the server's certificate"),
        ("root certificate file", "let sslrootcert name a file that is there, with the CA of the server's certificate"),
        ("does not match host name", "connect by a name that is in the server's certificate"),
        ("private key file", "let sslkey name the key, a file that only the service's user may open (chmod 0600)"),
        ("certificate file", "let sslcert name the client's certificate"),
        ("weak sslmode", "with sslnegotiation=direct say sslmode=require, or better verify-full"),
        ("does not support SSL", "switch ssl on at the server"),
        ("protocol version", "leave min_protocol_version and max_protocol_version out, or let them fit the server"),
        ("could not translate host name", "there is no such host; see its name, and DNS"),
        ("hot standby mode", "target_session_attrs asks for a server that only reads; leave it out"),
        ("not read-only", "target_session_attrs asks for a server that only reads; leave it out"),
        ("unexpected eof", "a server before PostgreSQL 17 knows no sslnegotiation=direct; leave it out"),
        ("channel binding", "with channel_binding=require say sslmode=verify-full"),
        ("GSSAPI", "leave gssencmode out, or let it fit the server"),
        ("authentication method", "see require_auth in the URL, and the server's pg_hba.conf"),
    ]

    private func isOfSilence(_ attempt: String) -> Bool {
        // The socket of a server that does not run is not there.
        let isMissing = attempt.hasPrefix("connection to server on socket") && attempt.hasSuffix(Self.noFile)
        return isMissing || Self.silence.contains { attempt.hasSuffix($0) }
    }

    private static let noFile = String(cString: strerror(ENOENT))

    /// The error, with a message of all the attempts.
    func error(_ message: String) -> PostgreSQLError {
        guard let lasting = attempts.first(where: { !isOfSilence($0) }) else {
            return PostgreSQLError(.unreachable, message)
        }
        if ["session is read-only", "server is in hot standby mode"].contains(where: lasting.contains) {
            return PostgreSQLError(.turnedAway(.readOnly), message)
        }
        let fix = Self.fixes.first { lasting.contains($0.0) }?.1
        return PostgreSQLError(.impossible, fix.map { "\(message); \($0)" } ?? message)
    }
}
