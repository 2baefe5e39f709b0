import AppStore
import CoreMetrics
import Logging
import Offers

extension LoadedService {
    /// A line for each root of Apple's that the configuration adds to the built-in one.
    func logRoots(to logger: Logger) {
        for root in settings.appleRoots {
            logger.notice("a root of Apple's is pinned by appStore.roots", metadata: ["sha256": "\(root.sha256)"])
        }
    }

    /// A line for each intermediate certificate of Apple's that is new, from now on.
    func tellIntermediates(to logger: Logger, _ counter: Counter) {
        intermediates.observe { unseen in
            counter.increment()
            logger.notice(
                "Apple signs with an intermediate certificate that this version does not know",
                metadata: [
                    "subject": "\(unseen.subject)", "sha256": "\(unseen.sha256)",
                    "notAfter": "\(unseen.notAfter.rfc3339)",
                ]
            )
        }
    }
}
