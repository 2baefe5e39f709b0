import AppStore
import Logging
import Offers
import SubscriptionKeys

extension LoadedService {
    /// What asks the App Store, composed of the apps with their credentials and Apple's addresses.
    ///
    /// - Parameter transport: The connections to Apple.
    /// - Returns: The fetcher.
    func appStoreFetcher(over transport: AsyncHTTPTransport) -> AppStoreEvidenceFetcher {
        let appStore = settings.appStore
        return AppStoreEvidenceFetcher(
            apps: settings.apps.map { app in
                AppStoreApp(
                    bundleId: app.app.bundleId,
                    appAppleId: app.appAppleId,
                    environments: app.app.environments,
                    sharedSecret: app.sharedSecret
                )
            },
            urls: AppStoreURLs(
                verifyReceipt: appStore.verifyReceiptURL,
                sandboxVerifyReceipt: appStore.sandboxVerifyReceiptURL,
                serverAPI: appStore.serverAPIURL,
                sandboxServerAPI: appStore.sandboxServerAPIURL
            ),
            transport: transport,
            deadline: .seconds(appStore.timeoutSeconds),
            logger: Logger(label: "offer-signer"),
            now: WallClock.now
        )
    }
}
