import AppStore
import Crypto
import OfferAPI
import OfferService
import Offers
import Storage
import SubscriptionKeys

/// Everything that the configuration describes, read and checked, with the keys loaded and tested.
struct LoadedService: Sendable {
    /// The settings.
    let settings: Settings
    /// The warnings of a configuration that can be used.
    let warnings: [ConfigurationWarning]
    /// The private keys of each app, in the order of ``Settings/apps``; the first signs.
    let keys: [[GuardedKey]]
    /// The keys of each app that are known by their public halves alone, in the same order.
    let retiredKeys: [[RetiredKey]]
    /// The memory that the keys are in.
    let keyMemory: SecureHeap.Status?
    /// Verifies the App Store's signed data; one for all, so that a signer's chain is verified once.
    let signedDataVerifier: SignedDataVerifier

    /// Reads the configuration, and loads the keys that it names.
    ///
    /// - Parameters:
    ///   - configurationFile: The path of `offer-signer.yaml`.
    ///   - flags: Settings from the command line, by key path.
    ///   - environment: The process's environment.
    ///   - address: Where the running service listens for requests; `nil` where none runs yet.
    /// - Throws: `ConfigurationFaults` with every fault that was found.
    init(
        configurationFile: String,
        flags: [String: String],
        environment: [String: String],
        listeningAt address: ListenAddress? = nil
    ) throws(ConfigurationFaults) {
        let keyRing = KeyRing()
        let loaded = try Settings.load(
            file: configurationFile,
            flags: flags,
            environment: environment,
            keyLoader: keyRing,
            listeningAt: address
        )
        settings = loaded.settings
        warnings = loaded.warnings
        signedDataVerifier = SignedDataVerifier(additionalRoots: loaded.settings.additionalRoots)
        keys = loaded.settings.apps.map { keyRing.keys(for: $0.keys) }
        retiredKeys = loaded.settings.apps.map { keyRing.retiredKeys(for: $0.keys) }
        keyMemory = keyRing.memory
    }

    /// The main use case, composed of the apps, their keys and Apple's side.
    ///
    /// - Parameters:
    ///   - appStore: Asks the App Store; `nil` where it is not asked.
    ///   - ledger: Where signatures are recorded before they are given out.
    ///   - lifelong: What is counted on the way, what is held of customers, and who wants to know Apple's clock;
    ///     `nil` for none of it.
    ///   - memory: What is held of customers, where there are no lifelong parts.
    /// - Returns: The use case.
    func signOffers(
        asking appStore: AppStoreEvidenceFetcher?,
        recordingIn ledger: DurableLedger,
        with lifelong: LifelongParts?,
        remembering memory: StateMemory? = nil
    ) -> SignOffers {
        SignOffers(
            apps: zip(settings.apps, keys).compactMap { app, keys in
                keys.first.map { SigningApp(app: app.app, signer: $0, issuerId: app.keys.first?.issuerId) }
            },
            evidenceReader: AppStoreEvidenceReader(
                verifier: lifelong.map { signedDataVerifier.reporting(to: $0.clock) } ?? signedDataVerifier
            ),
            evidenceFetcher: appStore,
            memory: lifelong?.memory ?? memory,
            maximumEvidenceAgeSeconds: Int64(settings.evidenceMaximumAgeSeconds),
            maximumSignedTransactionAgeSeconds: Int64(settings.evidenceSignedTransactionMaximumAgeSeconds),
            confirmsSignedTransactions: settings.evidenceConfirmSignedTransactions,
            ledger: ledger,
            metrics: lifelong?.telemetry.service ?? ServiceMetrics(),
            now: WallClock.now
        )
    }

    /// The use case behind support, composed of the apps and the public halves of their keys.
    ///
    /// - Parameters:
    ///   - memory: What is held of customers; `nil` where nothing is.
    ///   - recall: Finds what was signed; `nil` where nothing is on record.
    /// - Returns: The use case.
    func diagnoseReports(
        remembering memory: StateMemory? = nil,
        recalling recall: LedgerRecall?
    ) -> DiagnoseReports {
        DiagnoseReports(
            apps: zip(settings.apps, zip(keys, retiredKeys)).map { app, keys in
                let signing = keys.0.map { ($0.keyIdentifier, $0.signer.publicKeySPKI) }
                let retired = keys.1.map { ($0.keyIdentifier, Array($0.publicKey.derRepresentation)) }
                let verifiers = (signing + retired).compactMap {
                    P256Verifier(keyIdentifier: $0.0, subjectPublicKeyInfo: $0.1)
                }
                let issuers = app.keys.compactMap { key in key.issuerId.map { (key.id, $0) } }
                return DiagnoseReports.DiagnosableApp(
                    app: app.app,
                    verifiers: verifiers,
                    issuerIds: Dictionary(issuers, uniquingKeysWith: { first, _ in first })
                )
            },
            memory: memory,
            recalling: recall,
            reading: AppStoreEvidenceReader(verifier: signedDataVerifier),
            now: WallClock.now
        )
    }

    /// The use cases of product reports.
    func productReports(in store: any ProductReportStore) -> ProductReports {
        ProductReports(apps: settings.apps.map(\.app), store: store, now: WallClock.now)
    }

    /// The clients that may call.
    ///
    /// - Parameter usages: What they have asked for so far.
    /// - Returns: The clients.
    func clients(usages: ClientUsages) -> ClientDirectory { ClientDirectory(settings.clients, usages: usages) }
}
