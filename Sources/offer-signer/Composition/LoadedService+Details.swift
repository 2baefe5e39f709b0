import OfferService
import Offers
import SubscriptionKeys

extension LoadedService {
    /// The keys that have failed a self-test, one sentence each: they do not sign any more.
    var keyFaults: [String] {
        Set(keys.joined().compactMap(\.failure?.description)).sorted()
            .map { "\($0); it does not sign until it is loaded anew, by a reload (SIGHUP) or a restart" }
    }

    /// Tests every key that has not failed yet; returns the new failures, one sentence each.
    func selfTestKeys() -> [String] {
        keys.joined().compactMap { $0.selfTest()?.description }
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
            return !known.contains { $0.signer.publicKeySHA256 == key.signer.publicKeySHA256 }
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
