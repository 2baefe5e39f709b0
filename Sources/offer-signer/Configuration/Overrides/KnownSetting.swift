import LogLines
import Logging

/// The scalars of `offer-signer.yaml`, by their key paths.
///
/// ``definition`` is the one table of them: the file, the environment, the flags and their help are read from it.
enum KnownSetting: String, CaseIterable, Sendable {
    case serverHost = "server.host"
    case serverPort = "server.port"
    case serverDrainDelaySeconds = "server.drainDelaySeconds"
    case serverDrainTimeoutSeconds = "server.drainTimeoutSeconds"
    case serverTLSCertificateFile = "server.tls.certificateFile"
    case serverTLSPrivateKeyFile = "server.tls.privateKeyFile"
    case serverTLSClientCertificateAuthorityFile = "server.tls.clientCertificateAuthorityFile"
    case maximumConnections = "server.limits.maximumConnections"
    case maximumHeaderBytes = "server.limits.maximumHeaderBytes"
    case maximumEvidenceBodyBytes = "server.limits.maximumEvidenceBodyBytes"
    case maximumBodyBytes = "server.limits.maximumBodyBytes"
    case maximumWaitingOffers = "server.limits.maximumWaitingOffers"
    case idleTimeoutSeconds = "server.limits.idleTimeoutSeconds"
    case headerTimeoutSeconds = "server.limits.headerTimeoutSeconds"
    case requestTimeoutSeconds = "server.limits.requestTimeoutSeconds"
    case adminHost = "admin.host"
    case adminPort = "admin.port"
    case catalog
    case clients
    case logLevel = "log.level"
    case logFormat = "log.format"
    case keysAllowUnlockedMemory = "keys.allowUnlockedMemory"
    case keysGroupReadable = "keys.groupReadable"
    case keysSecretMemory = "keys.secretMemory"
    case ledgerURL = "ledger.url"
    case ledgerDigestKeyFile = "ledger.digestKeyFile"
    case ledgerCheckpointKeyFile = "ledger.checkpointKeyFile"
    case ledgerRetentionDays = "ledger.retentionDays"
    case evidenceMaximumAgeSeconds = "evidence.maximumAgeSeconds"
    case evidenceSignedTransactionMaximumAgeSeconds = "evidence.signedTransactionMaximumAgeSeconds"
    case notificationsHost = "notifications.host"
    case notificationsPort = "notifications.port"
    case verifyReceiptURL = "appStore.verifyReceiptURL"
    case sandboxVerifyReceiptURL = "appStore.sandboxVerifyReceiptURL"
    case serverAPIURL = "appStore.serverAPIURL"
    case sandboxServerAPIURL = "appStore.sandboxServerAPIURL"
    case appStoreTimeoutSeconds = "appStore.timeoutSeconds"
    case appStoreRequestsPerSecond = "appStore.requestsPerSecond"

    /// What a setting is.
    struct Definition: Sendable {
        /// The kind of its value.
        let type: SettingType
        /// What holds when it is not given.
        let fallback: Fallback
        /// What it means, with its unit.
        let meaning: String

        fileprivate init(_ type: SettingType, _ fallback: Fallback, _ meaning: String) {
            self.type = type
            self.fallback = fallback
            self.meaning = meaning
        }
    }

    /// What holds when a setting is not given.
    enum Fallback: Equatable, Sendable {
        /// It must be given.
        case required
        /// It is left out.
        case none
        /// Its default.
        case value(String)
    }

    /// The key's path in the file.
    var keyPath: String { rawValue }

    /// The table.
    var definition: Definition {
        switch self {
        case .serverHost: .init(.host, .value("127.0.0.1"), "where clients' requests are accepted")
        case .serverPort: .init(.port, .value("8080"), "port for clients' requests; 0 for any free one")
        case .serverDrainDelaySeconds:
            .init(.seconds, .value("0"), "how long /readyz answers 503 before the listener closes [seconds]")
        case .serverDrainTimeoutSeconds:
            .init(.seconds, .value("10"), "how long requests under way may take to finish after that [seconds]")
        case .serverTLSCertificateFile:
            .init(.file, .none, "the public listener's certificate with its chain, PEM; without it, plain HTTP")
        case .serverTLSPrivateKeyFile: .init(.file, .none, "the certificate's private key, PEM without a passphrase")
        case .serverTLSClientCertificateAuthorityFile:
            .init(.file, .none, "the authorities of clients' certificates, PEM; with it, clients need one")
        case .maximumConnections:
            .init(.wholeNumber(1...1_000_000), .value("4096"), "how many connections there may be at once")
        case .maximumHeaderBytes:
            .init(.wholeNumber(1024...1_048_576), .value("16384"), "how long a request's head may be [bytes]")
        case .maximumEvidenceBodyBytes:
            .init(
                .wholeNumber(1024...67_108_864),
                .value("1048576"),
                "how long a body may be where evidence or product reports are sent [bytes]"
            )
        case .maximumBodyBytes:
            .init(.wholeNumber(1024...67_108_864), .value("16384"), "how long a body may be elsewhere [bytes]")
        case .maximumWaitingOffers:
            .init(
                .wholeNumber(1...1_000_000),
                .value("160"),
                "how many offers may wait on each event loop to be signed and recorded; the next request is refused"
            )
        case .idleTimeoutSeconds:
            .init(.wholeNumber(1...3600), .value("75"), "how long a connection may wait for a request [seconds]")
        case .headerTimeoutSeconds:
            .init(.wholeNumber(1...3600), .value("10"), "how long a request's head may take to come [seconds]")
        case .requestTimeoutSeconds:
            .init(.wholeNumber(1...3600), .value("30"), "how long a request may take to come after its head [seconds]")
        case .adminHost: .init(.host, .value("127.0.0.1"), "where operators' requests are accepted")
        case .adminPort:
            .init(.port, .value("9090"), "port for /livez, /readyz, /metrics, /version; 0 for any free one")
        case .catalog: .init(.file, .required, "the apps, products and offers")
        case .clients: .init(.file, .required, "the clients and the SHA-256 of their tokens")
        case .logLevel:
            .init(
                .choice(Logger.Level.allCases.map(\.rawValue)),
                .value("notice"),
                "the least level that is logged; each request has a line at info"
            )
        case .logFormat:
            .init(
                .choice(LogFormat.allCases.map(\.rawValue)),
                .value("auto"),
                "one JSON object a line, or plain text; auto: text on a terminal"
            )
        case .keysAllowUnlockedMemory:
            .init(.boolean, .value("false"), "whether to serve, with a warning, even if keys could be swapped out")
        case .keysGroupReadable:
            .init(.boolean, .value("false"), "whether key files' groups may read them, as with mounted secrets")
        case .keysSecretMemory:
            .init(.boolean, .value("true"), "whether to hide keys even from root where the kernel can")
        case .ledgerURL: .init(.ledgerURL, .value("sqlite:ledger.sqlite"), "where the ledger is kept")
        case .ledgerDigestKeyFile: .init(.file, .none, "key for digests of accounts [32 bytes or more]")
        case .ledgerCheckpointKeyFile: .init(.file, .none, "key that signs checkpoints, a P-256 P8")
        case .ledgerRetentionDays:
            .init(.wholeNumber(1...36500), .none, "how long records are kept; for ever unless set [days]")
        case .evidenceMaximumAgeSeconds:
            .init(
                .seconds,
                .value("86400"),
                "how old verifyReceipt answers and held state may be; 0: no limit [seconds]"
            )
        case .evidenceSignedTransactionMaximumAgeSeconds:
            .init(.seconds, .value("2592000"), "how old signed transactions may be; 0: no limit [seconds]")
        case .notificationsHost:
            .init(
                .host,
                .value("0.0.0.0"),
                "where Apple's notifications are accepted; no listener unless host or port is set"
            )
        case .notificationsPort:
            .init(.port, .value("8081"), "port for Apple's notifications; no listener unless host or port is set")
        case .verifyReceiptURL:
            .init(.url, .value("https://buy.itunes.apple.com/verifyReceipt"), "verifyReceipt in production")
        case .sandboxVerifyReceiptURL:
            .init(.url, .value("https://sandbox.itunes.apple.com/verifyReceipt"), "verifyReceipt in the Sandbox")
        case .serverAPIURL:
            .init(.url, .value("https://api.storekit.apple.com"), "App Store Server API in production")
        case .sandboxServerAPIURL:
            .init(.url, .value("https://api.storekit-sandbox.apple.com"), "App Store Server API in the Sandbox")
        case .appStoreTimeoutSeconds:
            .init(
                .wholeNumber(1...60),
                .value("5"),
                "how long a question to the App Store may take with all its attempts [seconds]"
            )
        case .appStoreRequestsPerSecond:
            .init(
                .wholeNumber(1...100_000),
                .value("50"),
                "how often Apple is asked for one app in production; a tenth of it in the Sandbox [requests a second]"
            )
        }
    }
}

extension SettingType {
    /// A TCP port; 0 lets the system choose.
    fileprivate static let port = SettingType.wholeNumber(0...65535)
    /// A length of time in seconds, up to a hundred years, which any clock's arithmetic can hold.
    fileprivate static let seconds = SettingType.wholeNumber(0...3_155_760_000)
}
