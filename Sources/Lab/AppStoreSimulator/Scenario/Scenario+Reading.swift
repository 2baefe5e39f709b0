import Crypto
import Foundation
import Offers

extension Scenario {
    func world(in directory: URL) throws(SimulatorFault) -> AppStoreWorld {
        var clock = SimulatedClock()
        if let moment = self.clock, !clock.set(to: Timestamp(moment)) {
            throw SimulatorFault("the clock goes from 2020 to 2040")
        }
        var stores: [StoreApp] = []
        let apps = try appsWithIds()
        for app in apps { stores.append(try app.store(in: directory)) }
        var world = AppStoreWorld(clock: clock, apps: stores, numbers: TransactionNumbers())
        if let appStoreConnect { world.connect = try ConnectTeam(appStoreConnect, of: apps, in: directory) }
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

extension Scenario {
    /// Its apps, each with an Apple ID of its own.
    private func appsWithIds() throws(SimulatorFault) -> [App] {
        var used: Set<Int64> = []
        for app in apps {
            guard let id = app.appAppleId, !used.insert(id).inserted else { continue }
            throw SimulatorFault(
                "the app \(app.bundleId) has the appAppleId \(id) of another app; Apple gives each its own"
            )
        }
        return apps.map { app in
            var app = app
            if app.appAppleId == nil {
                var id = App.usualAppleId
                while !used.insert(id).inserted { id += 1 }
                app.appAppleId = id
            }
            return app
        }
    }
}

extension Scenario.App {
    static let usualAppleId: Int64 = 1_234_567_890

    fileprivate func store(in directory: URL) throws(SimulatorFault) -> StoreApp {
        var publicKeys: [String: P256.Signing.PublicKey] = [:]
        for key in keys ?? [] { publicKeys[key.id] = try key.value(in: directory) }
        var products: [StoreProduct] = []
        for group in subscriptionGroups {
            for product in group.products { products.append(try product.storeProduct(in: group.id)) }
        }
        guard (0...28).contains(gracePeriodDays ?? 0) else {
            throw SimulatorFault("the app \(bundleId) needs gracePeriodDays from 0 to 28")
        }
        guard (0...24).contains(renewsAheadHours ?? 0) else {
            throw SimulatorFault("the app \(bundleId) needs renewsAheadHours from 0 to 24")
        }
        let url = notificationURL.flatMap { StoreApp.notificationURL($0) }
        guard url != nil || notificationURL == nil else {
            throw SimulatorFault("the app \(bundleId) needs an http or https address as its notificationURL")
        }
        var retention = RetentionMessaging()
        do throws(SimulatorFault) {
            retention = try self.retention?.messaging(for: products) ?? retention
        } catch {
            throw SimulatorFault("the app \(bundleId) \(error)")
        }
        var app = StoreApp(bundleId: bundleId, appAppleId: appAppleId ?? Self.usualAppleId, products: products)
        (app.sharedSecret, app.issuerId, app.keys) = (sharedSecret, issuerId, publicKeys)
        (app.notificationURL, app.retention) = (url, retention)
        app.gracePeriodDays = gracePeriodDays ?? app.gracePeriodDays
        app.renewsAheadHours = renewsAheadHours ?? app.renewsAheadHours
        app.currency = currency ?? app.currency
        return app
    }
}

extension Scenario.Retention {
    fileprivate func messaging(for products: [StoreProduct]) throws(SimulatorFault) -> RetentionMessaging {
        var messaging = RetentionMessaging()
        var setup = RetentionMessaging.Setup()
        setup.url = url.flatMap { StoreApp.notificationURL($0) }
        guard setup.url != nil || url == nil else {
            throw SimulatorFault("needs an http or https address as the url of its retention")
        }
        for message in messages ?? [] {
            guard let id = UUID(uuidString: message.id)?.uuidString.lowercased(), setup.message(id) == nil else {
                throw SimulatorFault("has a message of retention whose id is no UUID, or another's: \(message.id)")
            }
            let images = message.image == true ? [id] : []
            setup.images += images.map { StoreImage(id: $0, state: .approved) }
            setup.messages.append(StoreMessage(id: id, images: images, state: .approved))
        }
        for place in defaults ?? [] {
            guard products.contains(where: { $0.id == place.product }),
                let message = setup.message(place.message.lowercased())
            else { throw SimulatorFault("has a default of retention without its product or message") }
            setup.defaults[.init(productId: place.product, locale: place.locale)] = message.id
        }
        messaging.production = setup
        messaging.sandbox = setup
        for (name, path, bounds) in RetentionMessaging.Settings.numbers {
            guard let number = performanceTest?[name] else { continue }
            guard bounds.contains(number) else {
                throw SimulatorFault(
                    "has a performanceTest beyond 1000 requests at once, 100000 in all, 600000 ms, 60000 ms an answer, "
                        + "100 %"
                )
            }
            messaging.settings[keyPath: path] = number
        }
        return messaging
    }
}

extension Scenario.Key {
    func value(in directory: URL) throws(SimulatorFault) -> P256.Signing.PublicKey {
        let command = "offer-signer keys inspect --public-key SubscriptionKey_\(id).p8"
        var (pem, place) = (publicKey, "its publicKey")
        if pem == nil, let publicKeyFile {
            let file = URL(filePath: publicKeyFile, relativeTo: directory.appending(path: "."))
            place = file.path
            do {
                pem = try String(contentsOf: file, encoding: .utf8)
            } catch {
                let isThere = FileManager.default.fileExists(atPath: file.path)
                throw SimulatorFault(
                    "the key \(id) has the publicKeyFile \(file.path), which \(isThere ? "cannot be read" : "is not there"); "
                        + "write the public key there in PEM: \(command)"
                )
            }
        }
        guard let pem else {
            throw SimulatorFault(
                "the key \(id) needs a P-256 public key in PEM, as publicKey or publicKeyFile: \(command)"
            )
        }
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw SimulatorFault("the key \(id) needs a P-256 public key in PEM, and \(place) is none: \(command)")
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

extension Scenario.Customer {
    /// Adds the customer, or as many as there are of the kind.
    func add(to world: inout AppStoreWorld) throws(SimulatorFault) {
        guard let app = bundleId.map(world.app) ?? (world.apps.count == 1 ? world.apps[0] : nil) else {
            throw SimulatorFault("needs the bundleId of one of the apps")
        }
        guard let environment = AppStoreEnvironment(rawValue: environment ?? "Production"),
            [.production, .sandbox].contains(environment)
        else { throw SimulatorFault("has an environment other than Production and Sandbox") }
        let account = appAccountToken.flatMap { AppAccountToken($0)?.lowercased }
        guard account != nil || appAccountToken == nil else {
            throw SimulatorFault("has an appAccountToken that is no UUID")
        }
        guard (1...100_000).contains(count ?? 1) else { throw SimulatorFault("has a count of 1 to 100000") }
        let now = world.clock.now
        var plans: [SubscriptionPlan] = []
        for subscription in subscriptions ?? [] { plans.append(try subscription.plan(in: app, account, at: now)) }
        for number in 1...(count ?? 1) {
            let name = count == nil ? name : "\(name)-\(number)"
            guard world.customer(name) == nil else { throw SimulatorFault("has the name of another one, \(name)") }
            var subscriptions: [StoreSubscription] = []
            for plan in plans { subscriptions += try plan.subscriptions(at: now, in: app, numbers: &world.numbers) }
            world.customers.add(
                StoreCustomer(
                    name: name,
                    bundleId: app.bundleId,
                    environment: environment,
                    appTransactionId: String(7_000_000_000_000_001 + world.customers.all.count),
                    subscriptions: subscriptions
                )
            )
        }
    }
}

extension Scenario.Subscription {
    fileprivate func plan(
        in app: StoreApp,
        _ account: String?,
        at now: Timestamp
    ) throws(SimulatorFault) -> SubscriptionPlan {
        guard let product = app.product(product) else { throw SimulatorFault("has \(product), no product of the app") }
        let plan = billingPlanType ?? .billedUpfront
        var offers: [StoreOffer?] = introductory == true ? [product.introductoryOffer] : []
        offers += (redeemed ?? []).map(product.offer)
        let retention = retentionOffer.map { [product.retentionOffer($0)] } ?? []
        guard product.has(plan), (offers + retention).allSatisfy({ $0?.plan == plan }) else {
            throw SimulatorFault("has a billing plan or an offer that \(product.id) does not have, or not together")
        }
        let target = upgradedTo.flatMap(app.product)
        guard state != .upgraded || target != nil else {
            throw SimulatorFault("needs upgradedTo, a product of the app")
        }
        // A commitment that was not renewed has had its last payment.
        let usual = plan == .monthly && state == .lapsed ? Commitment.billingPeriods : 2
        let percentages = 1...StoreTransaction.Revocation.wholePercentage
        guard (1...1000).contains(periods ?? usual), percentages.contains(revocationPercentage ?? 1) else {
            throw SimulatorFault(
                "has periods of 1 to 1000 and a revocationPercentage of 1 to \(percentages.upperBound)"
            )
        }
        guard idChange == nil || state.ownership == .purchased && [1, 4].contains(state.status) else {
            throw SimulatorFault("has an idChange, which needs a subscription that runs and is the customer's own")
        }
        return SubscriptionPlan(
            product: product,
            plan: plan,
            state: state,
            periods: max(periods ?? usual, offers.count + retention.count),
            offers: offers.compactMap(\.self),
            retentionOffer: retention.first ?? nil,
            expires: expiresAt.map { Timestamp($0) }
                ?? expiresInHours.map { now.adding(seconds: Int64(min(max($0, -100_000), 100_000)) * 3600) },
            upgradedTo: target,
            revocationPercentage: revocationPercentage ?? percentages.upperBound,
            eligibleWinBackOfferIds: eligibleWinBackOfferIds ?? [],
            // Nobody's app sets an account on a purchase that an organisation or a group makes.
            account: state.ownership == .assigned ? nil : account,
            holding: Holding(ownership: state.ownership, seats: try holdingSeats()),
            idChange: idChange
        )
    }

    private func holdingSeats() throws(SimulatorFault) -> Seats? {
        let management = invitationManagement ?? .apple
        guard let seats else {
            guard invitationManagement == nil else { throw SimulatorFault("has invitationManagement without seats") }
            return nil
        }
        let isPossible = state.ownership == .purchased || state.ownership == .assigned && management == .apple
        guard Seats.quantities.contains(seats), isPossible else {
            throw SimulatorFault(
                "has seats of 1 to \(Seats.quantities.upperBound), which a family does not share, and a member of a group "
                    + "only has with invitationManagement APPLE"
            )
        }
        return Seats(invitationManagement: management, quantity: seats)
    }
}
