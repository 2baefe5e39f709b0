import LogLines
import Logging

/// The values of `offer-signer.yaml`, each in its one place.
///
/// A new one is an entry here, a member of ``Settings``, and its row in `docs/configuration.md`, which a test asks for.
struct SettingTable: Sendable {
    /// The one table.
    static let shared = SettingTable()

    /// All settings, in the order of the table.
    static let entries = Mirror(reflecting: shared).children.compactMap { ($0.value as? any DescribedSetting)?.entry }

    /// Those that the environment and the flags can give, too.
    static let scalars = entries.filter { !$0.isList }

    let serverHost = Setting(
        "server.host",
        .host,
        default: "127.0.0.1",
        "where clients ask. The demo key and the demo token are refused on any but a loopback address",
        changes: .atStart
    )
    let serverPort = Setting(
        "server.port",
        .port,
        default: 8080,
        "where clients ask. 0: any free port",
        changes: .atStart
    )
    let serverDrainDelaySeconds = Setting(
        "server.drainDelaySeconds",
        .seconds,
        default: 0,
        "after SIGTERM, how long /readyz answers 503 before the listener closes",
        changes: .atStart
    )
    let serverDrainTimeoutSeconds = Setting(
        "server.drainTimeoutSeconds",
        .seconds,
        default: 10,
        "how long requests under way may take after that",
        changes: .atStart
    )
    let serverTLSCertificateFile = Setting(
        "server.tls.certificateFile",
        .file,
        without: "plain HTTP",
        "the certificate with its chain, PEM. It is read anew at SIGHUP. /readyz warns 3 days before its end",
        changes: .onlyPresenceAtStart
    )
    let serverTLSPrivateKeyFile = Setting(
        "server.tls.privateKeyFile",
        .file,
        without: "plain HTTP",
        "the certificate's private key, PEM, without a passphrase, mode 0600"
    )
    let serverTLSClientCertificateAuthorityFile = Setting(
        "server.tls.clientCertificateAuthorityFile",
        .file,
        without: "any client",
        "PEM. With it, clients need a certificate by one of these authorities, too"
    )
    let maximumConnections = Setting(
        "server.limits.maximumConnections",
        .wholeNumber(1...1_000_000),
        default: 4096,
        "connections at once. The next one is answered 503; over TLS it is closed. There are fewer where the process may "
            + "not have so many files open (ulimit -Hn): a warning says so",
        changes: .atStart
    )
    let maximumHeaderBytes = Setting(
        "server.limits.maximumHeaderBytes",
        .wholeNumber(1024...1_048_576),
        default: 16384,
        "a head's target and the names and values of its fields, without what is between them. Beyond it, and beyond 100 "
            + "fields: 431",
        changes: .atStart
    )
    let maximumEvidenceBodyBytes = Setting(
        "server.limits.maximumEvidenceBodyBytes",
        .wholeNumber(1024...67_108_864),
        default: 1_048_576,
        "a body with evidence or product reports. Beyond it: 413",
        changes: .atStart
    )
    let maximumBodyBytes = Setting(
        "server.limits.maximumBodyBytes",
        .wholeNumber(1024...67_108_864),
        default: 16384,
        "any other body. Beyond it: 413",
        changes: .atStart
    )
    let maximumWaitingOffers = Setting(
        "server.limits.maximumWaitingOffers",
        .wholeNumber(1...1_000_000),
        default: 160,
        "offers that may wait on each event loop to be signed and recorded, one loop for each processor. The next request "
            + "is answered 503 overloaded at once",
        changes: .atStart
    )
    let idleTimeoutSeconds = Setting(
        "server.limits.idleTimeoutSeconds",
        .wholeNumber(1...3600),
        default: 75,
        "how long a connection may be without a request before it is closed",
        changes: .atStart
    )
    let headerTimeoutSeconds = Setting(
        "server.limits.headerTimeoutSeconds",
        .wholeNumber(1...3600),
        default: 10,
        "how long a head may take. Beyond it: 408",
        changes: .atStart
    )
    let requestTimeoutSeconds = Setting(
        "server.limits.requestTimeoutSeconds",
        .wholeNumber(1...3600),
        default: 30,
        "how long a body may take after its head. Beyond it: 408",
        changes: .atStart
    )
    let adminHost = Setting(
        "admin.host",
        .host,
        default: "127.0.0.1",
        "where operators ask: /livez, /readyz, /metrics, /version",
        changes: .atStart
    )
    let adminPort = Setting(
        "admin.port",
        .port,
        default: 9090,
        "where operators ask. 0: any free port",
        changes: .atStart
    )
    let adminPage = Setting(
        "admin.page",
        .boolean,
        default: true,
        "the page to look at: /, /overview.json and its forms, which take a client's token. false: 404",
        changes: .atStart
    )
    let catalog = Setting("catalog", .file, without: "required", "the apps, products and offers")
    let clients = Setting("clients", .file, without: "required", "the clients and the SHA-256 of their tokens")
    let logLevel = Setting(
        "log.level",
        .choice,
        default: Logger.Level.notice,
        "the least level that is logged. info has a line for each request"
    )
    let logFormat = Setting(
        "log.format",
        .choice,
        default: LogFormat.auto,
        "one JSON object a line, or text. auto: text on a terminal, JSON elsewhere",
        changes: .atStart
    )
    let keysAllowUnlockedMemory = Setting(
        "keys.allowUnlockedMemory",
        .boolean,
        default: false,
        "true: serve even where the system does not lock the keys' 64 KiB. /readyz keeps a warning. Better: "
            + "LimitMEMLOCK=, --ulimit memlock="
    )
    let keysGroupReadable = Setting(
        "keys.groupReadable",
        .boolean,
        default: false,
        "true: the groups of key files may read them, as with mounted secrets"
    )
    let keysSecretMemory = Setting(
        "keys.secretMemory",
        .boolean,
        default: true,
        "use memfd_secret where the kernel has it (Linux 5.14; up to 6.4 with secretmem.enable=1). It keeps a machine "
            + "from hibernating",
        changes: .atStart
    )
    let ledgerURL = Setting(
        "ledger.url",
        .ledgerURL,
        default: .sqlite(path: "ledger.sqlite"),
        "where the ledger is",
        changes: .atStart
    )
    let ledgerDigestKeyFile = Setting(
        "ledger.digestKeyFile",
        .file,
        without: "beside an SQLite file",
        "key for digests of accounts, 32 bytes or more. Required with PostgreSQL",
        changes: .atStart
    )
    let ledgerCheckpointKeyFile = Setting(
        "ledger.checkpointKeyFile",
        .file,
        without: "beside an SQLite file",
        "key that signs checkpoints, a P-256 P8. Required with PostgreSQL",
        changes: .atStart
    )
    let ledgerRetentionDays = Setting(
        "ledger.retentionDays",
        .wholeNumber(1...36500),
        without: "for ever",
        "how many days records are kept. Limits count no older ones; a warning says where a limit counts more days",
        changes: .atStart
    )
    let evidenceMaximumAgeSeconds = Setting(
        "evidence.maximumAgeSeconds",
        .seconds,
        default: 86400,
        "how old verifyReceipt answers and held state may be. 0: no limit"
    )
    let evidenceSignedTransactionMaximumAgeSeconds = Setting(
        "evidence.signedTransactionMaximumAgeSeconds",
        .seconds,
        default: 2_592_000,
        "how old signed transactions may be, by signedDate. 0: no limit"
    )
    let notificationsHost = Setting(
        "notifications.host",
        .host,
        default: "0.0.0.0",
        "where Apple's notifications are taken. There is no such listener unless host or port is given",
        changes: .atStart
    )
    let notificationsPort = Setting(
        "notifications.port",
        .port,
        default: 8081,
        "where Apple's notifications are taken",
        changes: .atStart
    )
    let retentionTimeoutMilliseconds = Setting(
        "retention.timeoutMilliseconds",
        .wholeNumber(10...5000),
        default: 500,
        "how long an answer to a call for a retention message may take. Beyond it: 503. Apple waits for 700"
    )
    let retentionMaximumCalls = Setting(
        "retention.maximumCalls",
        .wholeNumber(1...100_000),
        default: 256,
        "calls for retention messages that are answered at once. The next one is answered 503"
    )
    let verifyReceiptURL = Setting(
        "appStore.verifyReceiptURL",
        .url,
        default: "https://buy.itunes.apple.com/verifyReceipt",
        "verifyReceipt in production"
    )
    let sandboxVerifyReceiptURL = Setting(
        "appStore.sandboxVerifyReceiptURL",
        .url,
        default: "https://sandbox.itunes.apple.com/verifyReceipt",
        "verifyReceipt in the Sandbox"
    )
    let serverAPIURL = Setting(
        "appStore.serverAPIURL",
        .url,
        default: "https://api.storekit.apple.com",
        "the App Store Server API in production"
    )
    let sandboxServerAPIURL = Setting(
        "appStore.sandboxServerAPIURL",
        .url,
        default: "https://api.storekit-sandbox.apple.com",
        "the App Store Server API in the Sandbox"
    )
    let appStoreTimeoutSeconds = Setting(
        "appStore.timeoutSeconds",
        .wholeNumber(1...60),
        default: 5,
        "how long a question to Apple may take with all its attempts"
    )
    let appStoreRequestsPerSecond = Setting(
        "appStore.requestsPerSecond",
        .wholeNumber(1...100_000),
        default: 50,
        "how often Apple is asked for one app in production; a tenth of it in the Sandbox"
    )
    let additionalRoots = SettingList(
        "appStore.additionalRoots",
        of: .file,
        without: "none",
        "certificates, DER or PEM, that are trusted beside Apple's root. For tests alone; /readyz keeps a warning"
    )
}

/// A setting whatever the type of its value.
private protocol DescribedSetting {
    var entry: SettingEntry { get }
}

extension Setting: DescribedSetting {}
extension SettingList: DescribedSetting {}
