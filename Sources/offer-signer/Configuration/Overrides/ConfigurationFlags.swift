import ArgumentParser

/// The flags that override the scalars of `offer-signer.yaml`, for every command that reads it.
struct ConfigurationFlags: ParsableArguments {
    @Option(name: .setting(.serverHost), help: .setting(.serverHost))
    var serverHost: String?
    @Option(name: .setting(.serverPort), help: .setting(.serverPort))
    var serverPort: String?
    @Option(name: .setting(.serverDrainDelaySeconds), help: .setting(.serverDrainDelaySeconds))
    var serverDrainDelaySeconds: String?
    @Option(name: .setting(.serverDrainTimeoutSeconds), help: .setting(.serverDrainTimeoutSeconds))
    var serverDrainTimeoutSeconds: String?
    @Option(name: .setting(.serverTLSCertificateFile), help: .setting(.serverTLSCertificateFile))
    var serverTLSCertificateFile: String?
    @Option(name: .setting(.serverTLSPrivateKeyFile), help: .setting(.serverTLSPrivateKeyFile))
    var serverTLSPrivateKeyFile: String?
    @Option(
        name: .setting(.serverTLSClientCertificateAuthorityFile),
        help: .setting(.serverTLSClientCertificateAuthorityFile)
    )
    var serverTLSClientCertificateAuthorityFile: String?
    @Option(name: .setting(.maximumConnections), help: .setting(.maximumConnections))
    var maximumConnections: String?
    @Option(name: .setting(.maximumHeaderBytes), help: .setting(.maximumHeaderBytes))
    var maximumHeaderBytes: String?
    @Option(name: .setting(.maximumEvidenceBodyBytes), help: .setting(.maximumEvidenceBodyBytes))
    var maximumEvidenceBodyBytes: String?
    @Option(name: .setting(.maximumBodyBytes), help: .setting(.maximumBodyBytes))
    var maximumBodyBytes: String?
    @Option(name: .setting(.maximumWaitingOffers), help: .setting(.maximumWaitingOffers))
    var maximumWaitingOffers: String?
    @Option(name: .setting(.idleTimeoutSeconds), help: .setting(.idleTimeoutSeconds))
    var idleTimeoutSeconds: String?
    @Option(name: .setting(.headerTimeoutSeconds), help: .setting(.headerTimeoutSeconds))
    var headerTimeoutSeconds: String?
    @Option(name: .setting(.requestTimeoutSeconds), help: .setting(.requestTimeoutSeconds))
    var requestTimeoutSeconds: String?
    @Option(name: .setting(.adminHost), help: .setting(.adminHost))
    var adminHost: String?
    @Option(name: .setting(.adminPort), help: .setting(.adminPort))
    var adminPort: String?
    @Option(name: .setting(.catalog), help: .setting(.catalog))
    var catalog: String?
    @Option(name: .setting(.clients), help: .setting(.clients))
    var clients: String?
    @Option(name: .setting(.logLevel), help: .setting(.logLevel))
    var logLevel: String?
    @Option(name: .setting(.logFormat), help: .setting(.logFormat))
    var logFormat: String?
    @Option(name: .setting(.keysAllowUnlockedMemory), help: .setting(.keysAllowUnlockedMemory))
    var keysAllowUnlockedMemory: String?
    @Option(name: .setting(.keysGroupReadable), help: .setting(.keysGroupReadable))
    var keysGroupReadable: String?
    @Option(name: .setting(.keysSecretMemory), help: .setting(.keysSecretMemory))
    var keysSecretMemory: String?
    @Option(name: .setting(.ledgerURL), help: .setting(.ledgerURL))
    var ledgerURL: String?
    @Option(name: .setting(.ledgerDigestKeyFile), help: .setting(.ledgerDigestKeyFile))
    var ledgerDigestKeyFile: String?
    @Option(name: .setting(.ledgerCheckpointKeyFile), help: .setting(.ledgerCheckpointKeyFile))
    var ledgerCheckpointKeyFile: String?
    @Option(name: .setting(.ledgerRetentionDays), help: .setting(.ledgerRetentionDays))
    var ledgerRetentionDays: String?
    @Option(name: .setting(.evidenceMaximumAgeSeconds), help: .setting(.evidenceMaximumAgeSeconds))
    var evidenceMaximumAgeSeconds: String?
    @Option(
        name: .setting(.evidenceSignedTransactionMaximumAgeSeconds),
        help: .setting(.evidenceSignedTransactionMaximumAgeSeconds)
    )
    var evidenceSignedTransactionMaximumAgeSeconds: String?
    @Option(name: .setting(.notificationsHost), help: .setting(.notificationsHost))
    var notificationsHost: String?
    @Option(name: .setting(.notificationsPort), help: .setting(.notificationsPort))
    var notificationsPort: String?
    @Option(name: .setting(.verifyReceiptURL), help: .setting(.verifyReceiptURL))
    var verifyReceiptURL: String?
    @Option(name: .setting(.sandboxVerifyReceiptURL), help: .setting(.sandboxVerifyReceiptURL))
    var sandboxVerifyReceiptURL: String?
    @Option(name: .setting(.serverAPIURL), help: .setting(.serverAPIURL))
    var serverAPIURL: String?
    @Option(name: .setting(.sandboxServerAPIURL), help: .setting(.sandboxServerAPIURL))
    var sandboxServerAPIURL: String?
    @Option(name: .setting(.appStoreTimeoutSeconds), help: .setting(.appStoreTimeoutSeconds))
    var appStoreTimeoutSeconds: String?

    @Option(name: .setting(.appStoreRequestsPerSecond), help: .setting(.appStoreRequestsPerSecond))
    var appStoreRequestsPerSecond: String?

    /// The flags that were given, by key path, for ``Settings/load(file:flags:environment:keyLoader:)``.
    var values: [String: String] {
        var values: [String: String] = [:]
        for setting in KnownSetting.allCases { values[setting.keyPath] = self[setting] }
        return values
    }

    private subscript(setting: KnownSetting) -> String? {
        switch setting {
        case .serverHost: serverHost
        case .serverPort: serverPort
        case .serverDrainDelaySeconds: serverDrainDelaySeconds
        case .serverDrainTimeoutSeconds: serverDrainTimeoutSeconds
        case .serverTLSCertificateFile: serverTLSCertificateFile
        case .serverTLSPrivateKeyFile: serverTLSPrivateKeyFile
        case .serverTLSClientCertificateAuthorityFile: serverTLSClientCertificateAuthorityFile
        case .maximumConnections: maximumConnections
        case .maximumHeaderBytes: maximumHeaderBytes
        case .maximumEvidenceBodyBytes: maximumEvidenceBodyBytes
        case .maximumBodyBytes: maximumBodyBytes
        case .maximumWaitingOffers: maximumWaitingOffers
        case .idleTimeoutSeconds: idleTimeoutSeconds
        case .headerTimeoutSeconds: headerTimeoutSeconds
        case .requestTimeoutSeconds: requestTimeoutSeconds
        case .adminHost: adminHost
        case .adminPort: adminPort
        case .catalog: catalog
        case .clients: clients
        case .logLevel: logLevel
        case .logFormat: logFormat
        case .keysAllowUnlockedMemory: keysAllowUnlockedMemory
        case .keysGroupReadable: keysGroupReadable
        case .keysSecretMemory: keysSecretMemory
        case .ledgerURL: ledgerURL
        case .ledgerDigestKeyFile: ledgerDigestKeyFile
        case .ledgerCheckpointKeyFile: ledgerCheckpointKeyFile
        case .ledgerRetentionDays: ledgerRetentionDays
        case .evidenceMaximumAgeSeconds: evidenceMaximumAgeSeconds
        case .evidenceSignedTransactionMaximumAgeSeconds: evidenceSignedTransactionMaximumAgeSeconds
        case .notificationsHost: notificationsHost
        case .notificationsPort: notificationsPort
        case .verifyReceiptURL: verifyReceiptURL
        case .sandboxVerifyReceiptURL: sandboxVerifyReceiptURL
        case .serverAPIURL: serverAPIURL
        case .sandboxServerAPIURL: sandboxServerAPIURL
        case .appStoreTimeoutSeconds: appStoreTimeoutSeconds
        case .appStoreRequestsPerSecond: appStoreRequestsPerSecond
        }
    }
}

extension NameSpecification {
    /// The flag of a setting.
    fileprivate static func setting(_ setting: KnownSetting) -> NameSpecification {
        [.customLong(setting.flagName)]
    }
}

extension ArgumentHelp {
    /// The documentation of a setting.
    fileprivate static func setting(_ setting: KnownSetting) -> ArgumentHelp {
        ArgumentHelp(
            "Overrides \(setting.documentation).",
            valueName: setting.definition.type.placeholder
        )
    }
}
