import AppStore
import Crypto
import OfferAPI
import OfferService
import Offers
import Storage
import SubscriptionKeys

/// Everything that the configuration describes, read and checked, with the keys loaded and tested.
struct LoadedService: Sendable {
    let settings: Settings
    /// The private keys of each app, in the order of ``Settings/apps``; the first signs.
    let keys: [[any GuardedKey]]
    /// The retired keys of each app, in the same order.
    let retiredKeys: [[RetiredKey]]
    let keyMemory: SecureHeap.Status?
    /// The PKCS#11 modules, for the life of the process.
    let tokens: TokenModules?
    /// Verifies the App Store's signed data; one for all, so that a signer's chain is verified once.
    let signedDataVerifier: SignedDataVerifier
    /// For the life of the process.
    let intermediates: AppleIntermediates

    /// Reads everything anew, and loads and tests the keys; with `ledger`, looks for faults of the ledger's files too.
    ///
    /// A running service listens at `addresses` and has its modules, which a reload does not change, and knows certificates.
    init(
        _ source: ConfigurationSource,
        checking ledger: LedgerFileCheck? = nil,
        listeningAt addresses: ListenAddresses? = nil,
        with tokens: TokenModules? = nil,
        knowing intermediates: AppleIntermediates = AppleIntermediates(),
        usesTokens: Bool = true
    ) throws(ConfigurationFaults) {
        let keyRing = KeyRing(tokens: tokens, usesTokens: usesTokens)
        settings = try Settings.load(
            file: source.file,
            flags: source.flags,
            environment: source.environment,
            keyRing: keyRing,
            ledger: ledger,
            listeningAt: addresses
        )
        signedDataVerifier = SignedDataVerifier(
            appleRoots: settings.appleRoots,
            additionalRoots: settings.additionalRoots,
            telling: intermediates
        )
        self.intermediates = intermediates
        keys = settings.apps.map { keyRing.keys(for: $0.keys) }
        retiredKeys = settings.apps.map { keyRing.retiredKeys(for: $0.keys) }
        keyMemory = keyRing.memory
        self.tokens = keyRing.tokens
    }

    /// The main use case.
    ///
    /// Without `appStore`, the App Store is not asked; without `lifelong`, `tally` alone counts, and `memory` holds the
    /// customers' states.
    func signOffers(
        asking appStore: AppStoreEvidenceFetcher?,
        recordingIn ledger: Journal,
        with lifelong: LifelongParts?,
        remembering memory: StateMemory? = nil,
        counting tally: (any OfferTally)? = nil,
        clock: ClockMonitor
    ) -> SignOffers {
        SignOffers(
            apps: zip(settings.apps, keys).compactMap { app, keys in
                keys.first.map { SigningApp(app: app.app, signer: $0, issuerId: app.keys.first?.issuerId) }
            },
            evidenceReader: AppStoreEvidenceReader(verifier: signedDataVerifier.reporting(to: clock)),
            evidenceFetcher: appStore,
            memory: lifelong?.memory ?? memory,
            maximumEvidenceAgeSeconds: Int64(settings.evidenceMaximumAgeSeconds),
            maximumSignedTransactionAgeSeconds: Int64(settings.evidenceSignedTransactionMaximumAgeSeconds),
            confirmsSignedTransactions: settings.evidenceConfirmSignedTransactions,
            ledger: ledger,
            clock: clock,
            metrics: lifelong?.telemetry.service ?? ServiceMetrics(tally: tally),
            decisionLog: lifelong.flatMap(decisionLog),
            now: WallClock.now
        )
    }

    func diagnoseReports(
        remembering memory: StateMemory? = nil,
        recalling recall: LedgerRecall?
    ) -> DiagnoseReports {
        DiagnoseReports(
            apps: zip(settings.apps, zip(keys, retiredKeys)).map { app, keys in
                let signing = keys.0.map { ($0.keyIdentifier, $0.publicKeySPKI) }
                let retired = keys.1.map { ($0.keyIdentifier, Array($0.publicKey.derRepresentation)) }
                let verifiers = (signing + retired).compactMap {
                    P256Verifier(keyIdentifier: $0.0, subjectPublicKeyInfo: $0.1)
                }
                let issuers = app.keys.compactMap { key in key.issuerId.map { (key.id, $0) } }
                return DiagnosableApp(
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

    func productReports(in store: any ProductReportStore) -> ProductReports {
        ProductReports(apps: settings.apps.map(\.app), store: store, now: WallClock.now)
    }

    func clients(usages: ClientUsages) -> ClientDirectory {
        ClientDirectory(settings.clients, usages: usages, now: WallClock.now)
    }
}

extension LoadedService {
    /// The keys that have failed a self-test, one sentence each: they do not sign any more.
    var keyFaults: [String] {
        Set(keys.joined().compactMap(\.failure?.description)).sorted()
            .map { "\($0); it does not sign until it is loaded anew, by a reload (SIGHUP) or a restart" }
            + keyUnavailabilities
    }

    /// The keys whose tokens do not sign now, one sentence each.
    var keyUnavailabilities: [String] {
        Set(keys.joined().compactMap { key in key.unavailability.map { "key \(key.keyIdentifier): \($0)" } }).sorted()
    }

    /// Tests every key that has not failed yet; returns the new failures, one sentence each.
    func selfTestKeys() async -> [String] {
        var failures: [String] = []
        for key in keys.joined() { if let failure = await key.selfTest() { failures.append(failure.description) } }
        return failures
    }

    var signingKeyIdentifiers: [String] { keys.compactMap(\.first?.keyIdentifier) }

    /// The keys that have the id of another key that was in use, one sentence each.
    ///
    /// App Store Connect gives each key an id of its own: one of the two is wrong, and StoreKit refuses what it signs.
    func keysChanged(since before: LoadedService) -> [String] {
        // All keys of an id are compared: if two apps give one id to different keys, none of them is new.
        let known = Dictionary(grouping: before.keys.joined(), by: \.keyIdentifier)
        let changed = keys.joined().filter { key in
            guard let known = known[key.keyIdentifier] else { return false }
            return !known.contains { $0.publicKeySHA256 == key.publicKeySHA256 }
        }
        return Set(changed.map(\.keyIdentifier)).sorted().map { id in
            "the reload changed the private key of \(id) under the same id; StoreKit refuses signatures under a wrong "
                + "id: check with `offer-signer keys inspect` that the file is the one that was downloaded with this "
                + "id"
        }
    }

    var keyMemoryName: String {
        guard let keyMemory, keyMemory.isLocked else { return "unlocked" }
        return keyMemory.isSecret ? "secret" : "locked"
    }
}
