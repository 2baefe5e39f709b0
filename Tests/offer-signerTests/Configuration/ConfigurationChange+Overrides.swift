@testable import offer_signer

/// Flags, variables, and files that settings name.
extension ConfigurationChange {
    static let ofOverrides: [Self] = [
        .environment("OFFER_SIGNER_ADMIN_PORT", "tcp://10.0.0.1:9090", "is not a whole number from 0"),
        .environment("OFFER_SIGNER_SERVER_TLS", "x", "use OFFER_SIGNER_SERVER_TLS_CERTIFICATE_FILE, "),
        .environment("OFFER_SIGNER_SERVER_TLS_KEY_FILE", "x", "is not a variable of offer-signer"),
        .environment("OFFER_SIGNER_SERVER_PROT", "1", "did you mean OFFER_SIGNER_SERVER_PORT?", as: .warning),
        .environment("OFFERSIGNER_SERVER_PORT", "1", "did you mean OFFER_SIGNER_SERVER_PORT?", as: .warning),
        .environment("OFFER_SINGER_LOG_LEVEL", "info", "did you mean OFFER_SIGNER_LOG_LEVEL?", as: .warning),
        .environment("offer_signer_server_port", "1", "did you mean OFFER_SIGNER_SERVER_PORT?", as: .warning),
        .environment("OFFER_SIGNER_SERVER_HOSTS", "1", "did you mean OFFER_SIGNER_SERVER_HOST?", as: .warning),
        .environment("OFFER_SIGNER_PORT", "8080", "has no effect", as: .warning),
        .environment("SERVER_PORT", "1", "", as: .none), .environment("ADMIN_HOST", "1", "", as: .none),
        .environment("OFFERS_URL", "1", "", as: .none), .environment("SIGNER_PORT", "1", "", as: .none),
        .environment("CODE_SIGNER_SERVER_PORT", "1", "", as: .none),
        .environment("OFFER_CATALOG", "1", "", as: .none),
        // What Kubernetes sets for a Service.
        .environment("OFFER_SIGNER_PORT", "tcp://10.0.0.1:80", "", as: .none),
        .environment("OFFER_SIGNER_SERVICE_HOST", "10.0.0.1", "", as: .none),
        .environment("OFFER_SIGNER_PORT_8080_TCP_ADDR", "10.0.0.1", "", as: .none),
        .environment("OFFER_SIGNER_ADMIN_PORT_9090_TCP", "tcp://10.0.0.1:9090", "", as: .none),
        .environment("OFFER_SIGNER_ADMIN_SERVICE_PORT", "9090", "", as: .none),
        .environment("OFFER_SIGNER_POSTGRES_PORT", "tcp://10.0.0.2:5432", "", as: .none),
        .environment("OFFER_SIGNER", "x", "", as: .none),
    ]

    private static let key = "SubscriptionKey_EXAMPLE123.p8"

    private static func ledger(_ url: String, _ place: String, _ says: String, as finding: Finding = .fault) -> Self {
        let files = ["ledger.digestKeyFile": "digest.key", "ledger.checkpointKeyFile": key]
        return .flags(files.merging(["ledger.url": url]) { $1 }).finds(finding, place, says)
    }

    private static func tls(_ certificate: String, _ key: String, _ place: String, _ says: String) -> Self {
        .flags(["server.tls.certificateFile": certificate, "server.tls.privateKeyFile": key]).fault(place, says)
    }

    static let ofFiles: [Self] = [
        .flags(["server.tls.certificateFile": "root.pem"])
            .fault("--server-tls-certificate-file", "asks for TLS, which needs server.tls.privateKeyFile, too"),
        tls("root.pem", "open.p8", "--server-tls-private-key-file", "0644"),
        tls("root.pem", "other.p8", "--server-tls-private-key-file", "is not the key of the certificate"),
        tls("other.p8", "other.p8", "--server-tls-certificate-file", "holds no certificate"),
        ledger("sqlite:none/ledger.sqlite", ledgerPlace, "none/ledger.sqlite\" is in a directory that does not exist"),
        ledger("sqlite:.", ledgerPlace, "is a directory"),
        ledger("sqlite:old.pem", ledgerPlace, "old.pem\" is no SQLite database"),
        ledger(
            "postgres://me@db-1:6432,db-2:6432/offers?target_session_attrs=read-write&sslmode=verify-full",
            "",
            "",
            as: .none
        ),
        ledger("postgres://me@db-1/offers", "--ledger-url", "the server's certificate is not verified", as: .warning),
        .flags(["ledger.url": "postgres://me@127.0.0.1/offers", "ledger.digestKeyFile": "digest.key"])
            .fault("offer-signer.yaml: ledger.checkpointKeyFile", "is missing; a ledger in PostgreSQL needs it"),
        .flags(["ledger.url": "postgres://me@127.0.0.1/offers", "ledger.checkpointKeyFile": key])
            .fault("offer-signer.yaml: ledger.digestKeyFile", "is missing; a ledger in PostgreSQL needs it"),
        .flags(["ledger.checkpointKeyFile": key]).fine,
        .flags(["ledger.checkpointKeyFile": "digest.key"]).fault(checkpointPlace, "the ledger's checkpoint key: "),
        .flags(["ledger.digestKeyFile": key]).fault(digestPlace, "is a private key in PEM"),
        .flags(["ledger.digestKeyFile": "open.p8"]).fault("--ledger-digest-key-file", "0644"),
        demo("0.0.0.0"), demo("::"), demo("192.0.2.1"), demo("signer.example"), demo("localhost", as: .none),
        demo("0.0.0.0", of: "admin"), demo("::1", of: "admin", as: .none),
        demoCheckpoint("0.0.0.0"), demoCheckpoint("127.0.0.2", as: .none),
    ]

    private static let ledgerPlace = "--ledger-url: ledger.url"
    private static let digestPlace = "--ledger-digest-key-file: ledger.digestKeyFile"
    private static let checkpointPlace = "--ledger-checkpoint-key-file: ledger.checkpointKeyFile"

    /// The demo key, which everyone has, where others could reach the service.
    private static func demo(_ host: String, of listener: String = "server", as finding: Finding = .fault) -> Self {
        .flags(["\(listener).host": host]).finds(finding, "catalog.yaml:6: apps[0].keys[0].file", "is the demo key")
    }

    private static func demoCheckpoint(_ host: String, as finding: Finding = .fault) -> Self {
        Self(
            edits: [.init("catalog.yaml", "file: \(key)", "file: other.p8")],
            flags: ["server.host": host, "ledger.checkpointKeyFile": key],
            place: checkpointPlace,
            says: "is the demo key",
            finding: finding
        )
    }
}
