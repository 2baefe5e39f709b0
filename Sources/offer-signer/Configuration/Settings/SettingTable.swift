import LogLines
import Logging
import OfferService

/// All settings of `offer-signer.yaml`.
///
/// A new setting is a line here, its use, as a member of ``Settings``, and its row in `docs/configuration.md`, which a
/// test demands.
struct SettingTable: Sendable {
    static let shared = SettingTable()

    static let entries = Mirror(reflecting: shared).children.compactMap { ($0.value as? any DescribedSetting)?.entry }

    static let scalars = entries.filter { !$0.isList }

    let serverHost = Setting(
        "server.host",
        .host,
        default: "127.0.0.1",
        "the address that serves clients. Demo key and demo token are accepted only while this and `admin.host` are loopback "
            + "addresses",
        changes: .atStart
    )
    let serverPort = Setting(
        "server.port",
        .port,
        default: 8080,
        "the port that serves clients. 0: any free port",
        changes: .atStart
    )
    let serverDrainDelaySeconds = Setting(
        "server.drainDelaySeconds",
        .seconds,
        default: 0,
        "how long /readyz answers 503 after SIGTERM before the listener closes",
        changes: .atStart
    )
    let serverDrainTimeoutSeconds = Setting(
        "server.drainTimeoutSeconds",
        .seconds,
        default: 10,
        "how long requests under way may take after the listener has closed",
        changes: .atStart
    )
    let serverTLSCertificateFile = Setting(
        "server.tls.certificateFile",
        .file,
        without: "plain HTTP",
        "the certificate with its chain, PEM. A renewed one is shown within seconds, and one that is over is refused. /readyz warns 3 days before its end",
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
        "certificates of authorities, PEM. With it, a client also needs a certificate by one of them"
    )
    let maximumConnections = Setting(
        "server.limits.maximumConnections",
        .wholeNumber(1...1_000_000),
        default: 4096,
        "how many connections may be open at once. The next one is answered 503; over TLS it is closed. If the process "
            + "may not open so many files (ulimit -Hn), fewer are possible, and a warning says so",
        changes: .atStart
    )
    let maximumHeaderBytes = Setting(
        "server.limits.maximumHeaderBytes",
        .wholeNumber(1024...1_048_576),
        default: 16384,
        "the size of a head: its target and the names and values of its fields, without separators. A larger head, or "
            + "one with more than 100 fields, is answered 431",
        changes: .atStart
    )
    let maximumEvidenceBodyBytes = Setting(
        "server.limits.maximumEvidenceBodyBytes",
        .wholeNumber(1024...67_108_864),
        default: 1_048_576,
        "the size of a body with evidence or product reports. A larger one is answered 413",
        changes: .atStart
    )
    let maximumBodyBytes = Setting(
        "server.limits.maximumBodyBytes",
        .wholeNumber(1024...67_108_864),
        default: 16384,
        "the size of any other body. A larger one is answered 413",
        changes: .atStart
    )
    let maximumUnfinishedBytes = Setting(
        "server.limits.maximumUnfinishedBytes",
        .wholeNumber(2048...17_179_869_184),
        default: 134_217_728,
        "how many bytes of clients' bodies may be on their way, as their heads announce them; at least two of the "
            + "longest bodies. The next request is answered 503 overloaded. A client may have half of it, and its next "
            + "request is 429",
        changes: .atStart
    )
    let maximumWaitingOffers = Setting(
        "server.limits.maximumWaitingOffers",
        .wholeNumber(1...1_000_000),
        without: "1408, or 704 for each processor",
        "how many offers may wait to be signed and recorded; by default a burst of 64 connections with twenty offers each. "
            + "The next request is answered 503 overloaded at once",
        changes: .atStart
    )
    let idleTimeoutSeconds = Setting(
        "server.limits.idleTimeoutSeconds",
        .wholeNumber(1...3600),
        default: 75,
        "how long a connection stays open between requests",
        changes: .atStart
    )
    let headerTimeoutSeconds = Setting(
        "server.limits.headerTimeoutSeconds",
        .wholeNumber(1...3600),
        default: 10,
        "how long a head may take to arrive. After that: 408. A new connection that sends nothing is closed after it",
        changes: .atStart
    )
    let requestTimeoutSeconds = Setting(
        "server.limits.requestTimeoutSeconds",
        .wholeNumber(1...3600),
        default: 30,
        "how long a body may take to arrive after its head. After that: 408",
        changes: .atStart
    )
    let adminHost = Setting(
        "admin.host",
        .host,
        default: "127.0.0.1",
        "the address that serves operators: /livez, /readyz, /metrics, /version",
        changes: .atStart
    )
    let adminPort = Setting(
        "admin.port",
        .port,
        default: 9090,
        "the port that serves operators. 0: any free port",
        changes: .atStart
    )
    let adminPage = Setting(
        "admin.page",
        .boolean,
        default: true,
        "true: operators get a page at /, with /overview.json and forms that take a client's token. false: 404",
        changes: .atStart
    )
    let adminHosts = SettingList(
        "admin.hosts",
        of: .host,
        without: "none",
        "names under which the page may be opened, beside localhost and addresses. Under another name: 421"
    )
    let catalog = Setting("catalog", .file, without: "required", "the apps, products and offers")
    let clients = Setting("clients", .file, without: "required", "the clients and the SHA-256 of their tokens")
    let logLevel = Setting(
        "log.level",
        .choice,
        default: Logger.Level.notice,
        "the lowest level that is logged. info adds a line for each request"
    )
    let logDecisions = Setting(
        "log.decisions",
        .choice,
        default: DecisionLog.Kind.none,
        "none, refused or all: which decisions of the calls that sign have a line, with the customer's digest. `ledger show` "
            + "names that digest"
    )
    let logFormat = Setting(
        "log.format",
        .choice,
        default: LogFormat.auto,
        "json: one object a line. auto: text on a terminal, JSON elsewhere. json and text hold for every line of serve",
        changes: .atStart
    )
    let keysAllowUnlockedMemory = Setting(
        "keys.allowUnlockedMemory",
        .boolean,
        default: false,
        "true: serve even if the system does not lock the keys' 64 KiB of memory. /readyz keeps a warning. Better: "
            + "raise the limit (LimitMEMLOCK=, --ulimit memlock=)"
    )
    let keysGroupReadable = Setting(
        "keys.groupReadable",
        .boolean,
        default: false,
        "true: the group of a key file may read it, as with mounted secrets"
    )
    let keysSecretMemory = Setting(
        "keys.secretMemory",
        .boolean,
        default: true,
        "true: keep keys in memfd_secret if the kernel has it (Linux 5.14 and later; up to 6.4 with "
            + "secretmem.enable=1). The machine cannot hibernate then",
        changes: .atStart
    )
    let keysVerifySignatures = Setting(
        "keys.verifySignatures",
        .boolean,
        default: false,
        "true: verify each signature by a key file with its public key before it leaves, as is done for tokens. It costs "
            + "a verification for each signature"
    )
    let tokenModules = SettingList(
        "pkcs11.modules",
        of: .file,
        without: "none",
        "PKCS#11 modules, shared libraries that only root and the service's user can replace; or { file, parameters }, with "
            + "the text for C_Initialize. The keys of a catalog can be in their tokens. Loaded at the start alone"
    )
    let tokenSessions = Setting(
        "pkcs11.sessions",
        .wholeNumber(1...64),
        default: 4,
        "how many threads a module has, each with a session of its own for each key",
        changes: .atStart
    )
    let tokenTimeoutMilliseconds = Setting(
        "pkcs11.timeoutMilliseconds",
        .wholeNumber(10...5000),
        default: 250,
        "how long a token may take for a signature. After that: 503 signing_unavailable",
        changes: .atStart
    )
    let ledgerURL = Setting(
        "ledger.url",
        .ledgerURL,
        default: .sqlite(path: "ledger.sqlite"),
        "the file or the database of the ledger",
        changes: .atStart
    )
    let ledgerDigestKeyFile = Setting(
        "ledger.digestKeyFile",
        .file,
        without: "beside an SQLite file",
        "the key that makes digests of accounts, 32 bytes or more. Required with PostgreSQL",
        changes: .atStart
    )
    let ledgerCheckpointKeyFile = Setting(
        "ledger.checkpointKeyFile",
        .file,
        without: "beside an SQLite file",
        "the key that signs checkpoints, a P-256 P8. Required with PostgreSQL",
        changes: .atStart
    )
    let ledgerRetentionDays = Setting(
        "ledger.retentionDays",
        .wholeNumber(1...36500),
        without: "for ever",
        "how many days records of signatures, redemptions and erasures are kept. Limits count only what is kept; a warning "
            + "names a limit that counts more days",
        changes: .atStart
    )
    let ledgerEndedSubscriptionDays = Setting(
        "ledger.endedSubscriptionDays",
        .wholeNumber(1...36500),
        without: "for ever",
        "how many days a subscription is held after it has ended. Then its customer needs evidence for any offer. One with a "
            + "refund or a redeemed offer is held for ever. A warning names a maximumLapsedDays of more days",
        changes: .atStart
    )
    let ledgerAllowSkippedEligibility = Setting(
        "ledger.allowSkippedEligibility",
        .boolean,
        default: true,
        "false: sign --skip-eligibility is refused. Who may write the configuration, and read the keys, can allow it again"
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
    let evidenceConfirmSignedTransactions = Setting(
        "evidence.confirmSignedTransactions",
        .boolean,
        default: false,
        "whether the App Store is asked before an eligible answer that rests on a client's signed transactions"
    )
    let notificationsHost = Setting(
        "notifications.host",
        .host,
        default: "0.0.0.0",
        "the address that takes Apple's notifications. The listener exists only if its host or port is given",
        changes: .atStart
    )
    let notificationsPort = Setting(
        "notifications.port",
        .port,
        default: 8081,
        "the port that takes Apple's notifications",
        changes: .atStart
    )
    let notificationsHistorySeconds = Setting(
        "notifications.historySeconds",
        .seconds,
        default: 3600,
        "how often Apple's notification history is asked for what did not come. 0: never"
    )
    let retentionTimeoutMilliseconds = Setting(
        "retention.timeoutMilliseconds",
        .wholeNumber(10...5000),
        default: 500,
        "how long the answer to a call for a retention message may take. After that: 503. Apple waits for 700"
    )
    let retentionMaximumCalls = Setting(
        "retention.maximumCalls",
        .wholeNumber(1...100_000),
        default: 256,
        "how many calls for retention messages are answered at once. The next one is answered 503"
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
        "how long a question to Apple may take, with all its attempts"
    )
    let appStoreRequestsPerSecond = Setting(
        "appStore.requestsPerSecond",
        .wholeNumber(1...100_000),
        default: 50,
        "how many requests a second Apple gets for one app in production; in the Sandbox, a tenth of that. Clients share "
            + "them"
    )
    let appleRoots = SettingList(
        "appStore.roots",
        of: .file,
        without: "none",
        "roots of Apple's beside the built-in Apple Root CA - G3: { file, sha256 }, a certificate, DER or PEM, and the SHA-256 "
            + "that Apple publishes for it"
    )
    let additionalRoots = SettingList(
        "appStore.additionalRoots",
        of: .file,
        without: "none",
        "root certificates, DER or PEM, that are trusted like Apple's. For tests only; /readyz keeps a warning"
    )
}

private protocol DescribedSetting {
    var entry: SettingEntry { get }
}

extension Setting: DescribedSetting {}
extension SettingList: DescribedSetting {}
