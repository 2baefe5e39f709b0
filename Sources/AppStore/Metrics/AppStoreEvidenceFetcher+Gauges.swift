import CoreMetrics
import Offers

extension AppStoreEvidenceFetcher {
    /// Tells what is the case this moment: which of Apple's services are not asked because they were down, how many
    /// answers are kept, and how many questions are under way.
    ///
    /// To be called before the metrics are read.
    public func updateGauges() {
        for service in AppStoreService.allCases {
            for environment in [AppStoreEnvironment.production, .sandbox] {
                let host =
                    service == .serverAPI
                    ? urls.serverAPI(in: environment) : urls.verifyReceipt(in: environment)
                Meter(
                    label: "offer_signer_app_store_breaker_open",
                    dimensions: [("service", service.rawValue), ("environment", environment.rawValue)],
                    factory: metrics.factory
                ).set(manners?.isPaused(host) == true ? 1 : 0)
            }
        }
        Meter(label: "offer_signer_app_store_cached_answers", factory: metrics.factory).set(answers.count)
        Meter(label: "offer_signer_app_store_questions_under_way", factory: metrics.factory).set(flights.count)
    }
}
