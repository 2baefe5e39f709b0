import AppStore
import LogLines
import Logging
import OfferAPI
import OfferService
import Offers
import SubscriptionKeys

extension LoadedService {
    func appStoreFetcher(with lifelong: LifelongParts) -> AppStoreEvidenceFetcher {
        AppStoreEvidenceFetcher(
            apps: appStoreApps,
            urls: appStoreURLs,
            verifier: signedDataVerifier.reporting(to: lifelong.clock),
            transport: lifelong.appStoreTransport,
            requestsPerSecond: settings.appStoreRequestsPerSecond,
            deadline: .seconds(settings.appStoreTimeoutSeconds),
            metrics: lifelong.telemetry.appStore,
            logger: Logger(label: "offer-signer"),
            now: WallClock.now
        )
    }

    /// Takes notifications; what comes of them is counted only where Apple sent them itself.
    func takeNotifications(
        remembering memory: StateMemory,
        reportingTo clock: ClockMonitor,
        metrics: NotificationMetrics = NotificationMetrics()
    ) -> TakeNotifications<AppStoreNotificationReader> {
        TakeNotifications(
            reader: AppStoreNotificationReader(apps: appStoreApps, verifier: signedDataVerifier.reporting(to: clock)),
            memory: memory,
            metrics: metrics,
            now: WallClock.now
        )
    }

    /// The log of a command, by `log.format` and `log.level`.
    var commandLogger: Logger {
        let output = LogOutput(format: settings.logFormat, level: settings.logLevel)
        return Logger(label: "offer-signer") { output.handler(label: $0, metadataProvider: nil) }
    }

    func notificationHistory(
        over transport: AsyncHTTPTransport,
        metrics: AppStoreMetrics = AppStoreMetrics(),
        logger: Logger = Logger(label: "offer-signer")
    ) -> AppStoreNotificationHistory {
        AppStoreNotificationHistory(
            apps: appStoreApps,
            urls: appStoreURLs,
            transport: transport,
            requestsPerSecond: settings.appStoreRequestsPerSecond,
            metrics: metrics,
            logger: logger,
            now: WallClock.now
        )
    }

    /// Answers Apple's calls for retention messages; asks the App Store about unknown subscriptions once they are
    /// answered.
    func retentionCalls(asking appStore: AppStoreEvidenceFetcher, with lifelong: LifelongParts) -> AnswerRetentionCalls
    {
        let apps = zip(settings.apps, keys).compactMap { app, keys -> RetentionApp? in
            guard let rules = app.retention, let key = keys.first else { return nil }
            let signing = SigningApp(app: app.app, signer: key, issuerId: app.keys.first?.issuerId)
            return RetentionApp(signing, rules: rules)
        }
        return AnswerRetentionCalls(
            apps: apps,
            reader: AppStoreRetentionCallReader(
                apps: appStoreApps,
                verifier: signedDataVerifier.reporting(to: lifelong.clock)
            ),
            memory: lifelong.memory,
            ledger: lifelong.ledger.journal,
            lookups: RetentionLookups(
                fetcher: appStore,
                memory: lifelong.memory,
                metrics: lifelong.telemetry.retention,
                now: WallClock.now
            ),
            service: lifelong.telemetry.service,
            decisionLog: decisionLog(with: lifelong),
            metrics: lifelong.telemetry.retention,
            maximumHeldAgeSeconds: Int64(settings.evidenceMaximumAgeSeconds),
            limits: AnswerRetentionCalls.Limits(
                time: .milliseconds(settings.retentionTimeoutMilliseconds),
                calls: settings.retentionMaximumCalls
            ),
            clock: lifelong.clock,
            now: WallClock.now,
            write: { $0.json }
        )
    }

    var appStoreURLs: AppStoreURLs {
        AppStoreURLs(
            verifyReceipt: settings.verifyReceiptURL,
            sandboxVerifyReceipt: settings.sandboxVerifyReceiptURL,
            serverAPI: settings.serverAPIURL,
            sandboxServerAPI: settings.sandboxServerAPIURL
        )
    }

    var appStoreApps: [AppStoreApp] {
        zip(settings.apps, keys).map { app, keys in
            AppStoreApp(
                bundleId: app.app.bundleId,
                appAppleId: app.appAppleId,
                environments: app.app.environments,
                sharedSecret: app.sharedSecret,
                serverAPI: credentials(of: app, keys),
                looksReceiptsUpAtServerAPI: app.receipts == .serverAPI,
                answerLifetimeSeconds: app.appStoreCacheSeconds,
                countsRedemptions: app.app.countsRedemptions,
                readsRunningPeriods: app.app.readsRunningPeriods
            )
        }
    }

    /// The credentials that ask in an app's name: its first key, where the catalog names the key's issuer.
    private func credentials(of app: AppSettings, _ keys: [any GuardedKey]) -> ServerAPICredentials? {
        guard let signer = keys.first, let issuerId = app.keys.first?.issuerId else { return nil }
        return ServerAPICredentials(bundleId: app.app.bundleId, issuerId: issuerId, signer: signer)
    }
}
