import AppStore
import OfferAPI
import OfferService
import Offers
import SubscriptionKeys

/// Everything that the configuration describes, read and checked, with the keys loaded and tested.
struct LoadedService: Sendable {
    /// The settings.
    let settings: Settings
    /// What the configuration says that an operator should know about, though it can be used.
    let warnings: [ConfigurationWarning]
    /// The keys of each app, in the order of ``Settings/apps``; the first signs.
    let keys: [[SigningKey]]

    /// Reads the configuration, and loads the keys that it names.
    ///
    /// - Parameters:
    ///   - configurationFile: The path of `offer-signer.yaml`.
    ///   - flags: Settings from the command line, by key path.
    ///   - environment: The process's environment.
    /// - Throws: `ConfigurationFaults` with every fault that was found.
    init(
        configurationFile: String,
        flags: [String: String],
        environment: [String: String]
    ) throws(ConfigurationFaults) {
        let keyRing = KeyRing()
        let loaded = try Settings.load(
            file: configurationFile,
            flags: flags,
            environment: environment,
            keyLoader: keyRing
        )
        settings = loaded.settings
        warnings = loaded.warnings
        keys = loaded.settings.apps.map { keyRing.keys(for: $0.keys) }
    }

    /// The main use case, composed of the apps, their keys and Apple's side.
    ///
    /// - Returns: The use case.
    func signOffers() -> SignOffers<SigningKey, AppStoreEvidenceReader> {
        SignOffers(
            apps: zip(settings.apps, keys).compactMap { app, keys in
                keys.first.map { SigningApp(app: app.app, signer: $0) }
            },
            evidenceReader: AppStoreEvidenceReader(),
            maximumEvidenceAgeSeconds: Int64(settings.evidence.maximumAgeSeconds),
            now: WallClock.now
        )
    }

    /// The use case behind support, composed of the apps and the public halves of their keys.
    ///
    /// - Returns: The use case.
    func diagnoseReports() -> DiagnoseReports<P256Verifier> {
        DiagnoseReports(
            apps: zip(settings.apps, keys).map { app, keys in
                let verifiers = keys.compactMap { key in
                    P256Verifier(keyIdentifier: key.keyIdentifier, subjectPublicKeyInfo: key.publicKeySPKI)
                }
                return DiagnoseReports.DiagnosableApp(app: app.app, verifiers: verifiers)
            },
            now: WallClock.now
        )
    }

    /// The use cases of product reports, kept in this process's memory.
    ///
    /// - Returns: The use cases, with an empty store.
    func productReports() -> ProductReports<InMemoryProductReports> {
        ProductReports(apps: settings.apps.map(\.app), store: InMemoryProductReports(), now: WallClock.now)
    }

    /// The clients that may call.
    var clients: ClientDirectory { ClientDirectory(settings.clients.map(\.client)) }
}
