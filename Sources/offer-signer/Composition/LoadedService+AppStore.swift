import AppStore
import Logging
import OfferAPI
import OfferService
import Offers
import SubscriptionKeys

extension LoadedService {
    /// What asks the App Store, composed of the apps with their credentials and Apple's addresses.
    func appStoreFetcher(with lifelong: LifelongParts) -> AppStoreEvidenceFetcher {
        let appStore = settings.appStore
        return AppStoreEvidenceFetcher(
            apps: appStoreApps,
            urls: AppStoreURLs(
                verifyReceipt: appStore.verifyReceiptURL,
                sandboxVerifyReceipt: appStore.sandboxVerifyReceiptURL,
                serverAPI: appStore.serverAPIURL,
                sandboxServerAPI: appStore.sandboxServerAPIURL
            ),
            verifier: signedDataVerifier.reporting(to: lifelong.clock),
            transport: lifelong.appStoreTransport,
            requestsPerSecond: appStore.requestsPerSecond,
            deadline: .seconds(appStore.timeoutSeconds),
            metrics: lifelong.telemetry.appStore,
            clock: lifelong.clock,
            logger: Logger(label: "offer-signer"),
            now: WallClock.now
        )
    }

    /// What tells Apple's notifications from forgeries, and from those for other apps.
    func notificationReader(reportingTo clock: ClockMonitor) -> AppStoreNotificationReader {
        AppStoreNotificationReader(apps: appStoreApps, verifier: signedDataVerifier.reporting(to: clock))
    }

    /// What answers Apple's calls for retention messages.
    ///
    /// - Parameters:
    ///   - appStore: Asks the App Store about subscriptions that nobody knew, once they were answered.
    ///   - lifelong: The ledger, what is remembered of customers, and what is counted.
    /// - Returns: The use case.
    func retentionCalls(asking appStore: AppStoreEvidenceFetcher, with lifelong: LifelongParts) -> AnswerRetentionCalls {
        let apps = zip(settings.apps, keys).compactMap { app, keys -> RetentionApp? in
            guard let rules = app.retention, let key = keys.first else { return nil }
            let signing = SigningApp(app: app.app, signer: key, issuerId: app.keys.first?.issuerId)
            return RetentionApp(signing, rules: rules)
        }
        return AnswerRetentionCalls(
            apps: apps,
            reader: AppStoreRetentionCallReader(
                apps: appStoreApps,
                verifier: signedDataVerifier.telling(lifelong.clock)
            ),
            memory: lifelong.memory,
            ledger: lifelong.ledger.ledger,
            lookups: RetentionLookups(
                fetcher: appStore,
                memory: lifelong.memory,
                metrics: lifelong.telemetry.retention,
                now: WallClock.now
            ),
            service: lifelong.telemetry.service,
            metrics: lifelong.telemetry.retention,
            maximumHeldAgeSeconds: Int64(settings.evidence.maximumAgeSeconds),
            limits: settings.retention,
            now: WallClock.now,
            write: { $0.json }
        )
    }

    private var appStoreApps: [AppStoreApp] {
        zip(settings.apps, keys).map { app, keys in
            AppStoreApp(
                bundleId: app.app.bundleId,
                appAppleId: app.appAppleId,
                environments: app.app.environments,
                sharedSecret: app.sharedSecret,
                serverAPI: credentials(of: app, keys),
                looksReceiptsUpAtServerAPI: app.receipts == .serverAPI,
                answerLifetimeSeconds: app.appStoreCacheSeconds,
                countsRedemptions: app.app.countsRedemptions
            )
        }
    }

    /// What asks in an app's name: its first key, where the catalog names the key's issuer.
    private func credentials(of app: AppSettings, _ keys: [GuardedKey]) -> ServerAPICredentials? {
        guard let signer = keys.first, let issuerId = app.keys.first?.issuerId else { return nil }
        return ServerAPICredentials(bundleId: app.app.bundleId, issuerId: issuerId, signer: signer)
    }
}
