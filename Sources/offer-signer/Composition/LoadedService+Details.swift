import OfferService
import Offers
import SubscriptionKeys

/// What operators are told of a loaded service.
extension LoadedService {
    /// The keys that have failed a self-test, one sentence each: they do not sign any more.
    var keyFaults: [String] {
        Set(keys.joined().compactMap(\.failure?.description)).sorted()
            .map { "\($0); it does not sign until it is loaded anew, by a reload (SIGHUP) or a restart" }
    }

    /// Tests every key that has not failed yet.
    ///
    /// - Returns: What has just failed, one sentence each.
    func selfTestKeys() -> [String] {
        keys.joined().compactMap { $0.selfTest()?.description }
    }

    /// The identifiers of the keys that sign, in the order of the catalog.
    var signingKeyIdentifiers: [String] { keys.compactMap(\.first?.keyIdentifier) }

    /// What kind of memory the keys are in, in one word.
    var keyMemoryName: String {
        guard let keyMemory, keyMemory.isLocked else { return "unlocked" }
        return keyMemory.isSecret ? "secret" : "locked"
    }
}
