import Crypto
import Foundation
import Offers

extension Scenario {
    /// The App Store that the file describes.
    ///
    /// - Parameter directory: What the paths of keys are relative to.
    /// - Returns: Its state.
    /// - Throws: `SimulatorFault` with what cannot be as described.
    func world(in directory: URL) throws(SimulatorFault) -> AppStoreWorld {
        var clock = SimulatedClock()
        if let moment = self.clock, !clock.set(to: Timestamp(moment)) {
            throw SimulatorFault("the clock goes from 2020 to 2040")
        }
        var stores: [StoreApp] = []
        for app in apps { stores.append(try app.store(in: directory)) }
        var world = AppStoreWorld(clock: clock, apps: stores, numbers: TransactionNumbers())
        for customer in customers ?? [] {
            do throws(SimulatorFault) {
                try customer.add(to: &world)
            } catch {
                throw SimulatorFault("the customer \(customer.name) \(error)")
            }
        }
        return world
    }
}

extension Scenario.App {
    fileprivate func store(in directory: URL) throws(SimulatorFault) -> StoreApp {
        var publicKeys: [String: P256.Signing.PublicKey] = [:]
        for key in keys ?? [] { publicKeys[key.id] = try key.value(in: directory) }
        var products: [StoreProduct] = []
        for group in subscriptionGroups {
            for product in group.products { products.append(try product.storeProduct(in: group.id)) }
        }
        guard (0...28).contains(gracePeriodDays ?? 0) else {
            throw SimulatorFault("the app \(bundleId) has gracePeriodDays of 0 to 28")
        }
        let url = notificationURL.flatMap { StoreApp.notificationURL($0) }
        guard url != nil || notificationURL == nil else {
            throw SimulatorFault("the app \(bundleId) needs an http or https address as its notificationURL")
        }
        return StoreApp(
            bundleId: bundleId,
            appAppleId: appAppleId ?? 1_234_567_890,
            sharedSecret: sharedSecret,
            issuerId: issuerId,
            gracePeriodDays: gracePeriodDays ?? 16,
            currency: currency ?? "USD",
            products: products,
            keys: publicKeys,
            notificationURL: url
        )
    }
}

extension Scenario.Key {
    fileprivate func value(in directory: URL) throws(SimulatorFault) -> P256.Signing.PublicKey {
        let file = URL(filePath: publicKeyFile ?? "", relativeTo: directory.appending(path: "."))
        let pem = publicKey ?? (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw SimulatorFault(
                "the key \(id) needs a P-256 public key in PEM, as publicKey or in its publicKeyFile "
                    + "(offer-signer keys inspect --public-key SubscriptionKey_\(id).p8)"
            )
        }
        return key
    }
}

extension Scenario.Product {
    fileprivate func storeProduct(in groupId: String) throws(SimulatorFault) -> StoreProduct {
        let period = period ?? .month
        return StoreProduct(
            id: id,
            groupId: groupId,
            level: level ?? 1,
            price: try thousandths(price) ?? 9990,
            period: period,
            monthlyPrice: try thousandths(monthlyPrice),
            introductoryOffer: try introductoryOffer?.storeOffer(.introductory, period),
            offers: try list(offers, .promotional, period),
            retentionOffers: try list(retentionOffers, .retention, period)
        )
    }

    private func list(
        _ offers: [Scenario.Offer]?,
        _ kind: StoreOffer.Kind,
        _ period: SubscriptionPeriod
    ) throws(SimulatorFault) -> [StoreOffer] {
        var list: [StoreOffer] = []
        for offer in offers ?? [] { list.append(try offer.storeOffer(kind, period)) }
        return list
    }
}

extension Scenario.Offer {
    fileprivate func storeOffer(_ kind: StoreOffer.Kind, _ period: SubscriptionPeriod) throws(SimulatorFault)
        -> StoreOffer
    {
        guard kind == .introductory || id != nil else { throw SimulatorFault("an offer has no id") }
        guard (1...36).contains(periods ?? 1) else { throw SimulatorFault("an offer has periods of 1 to 36") }
        let plan = billingPlanType ?? .billedUpfront
        let mode = mode ?? .payAsYouGo
        return StoreOffer(
            kind: kind,
            id: kind == .introductory ? nil : id,
            plan: plan,
            mode: mode,
            price: mode == .freeTrial ? 0 : try thousandths(price) ?? 4990,
            period: self.period ?? (plan == .monthly ? .month : period),
            periods: periods ?? 1,
            isPriceInvalid: priceNoLongerValid ?? false
        )
    }
}

/// A price such as 9.99 as Apple's payloads have it.
private func thousandths(_ price: Decimal?) throws(SimulatorFault) -> Int64? {
    guard let price else { return nil }
    guard (0...1_000_000).contains(price) else { throw SimulatorFault("a price is at least 0 and at most a million") }
    return NSDecimalNumber(decimal: price * 1000).int64Value
}
