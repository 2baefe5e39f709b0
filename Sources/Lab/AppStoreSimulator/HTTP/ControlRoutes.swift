import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Offers
import StrictJSON

/// The simulator's own routes to the simulator: faults, clock, keys and where notifications go.
struct ControlRoutes {
    let store: SimulatedAppStore

    func add(to router: some RouterMethods<SimulatorContext>) {
        router.get("faults") { _, _ in faults(store.current()) }
        router.post("faults") { request, context in
            let fault = try InjectedFault(RequestMembers(json: try await request.bytes(context)))
            return store.change { world in
                world.faults.append(fault)
                return faults(world)
            }
        }
        router.delete("faults") { _, _ in
            store.change { world in
                world.faults = []
                return faults(world)
            }
        }
        router.get("clock") { _, _ in clock(store.current()) }
        router.post("clock", members: "now", "advanceSeconds", "reset") { try moveClock($0) }
        router.post("keys", members: "bundleId", "keyIdentifier", "publicKey") { try registerKey($0) }
        router.get("notifications") { _, _ in notifications(store.current()) }
        router.post("notification-url", members: "bundleId", "url") { try setNotificationURL($0) }
        router.get("root.pem") { _, _ in
            guard let pem = try? String(contentsOf: store.rootPEM, encoding: .utf8) else {
                throw RequestFault.notFound("\(store.rootPEM.path) cannot be read.")
            }
            return Response.text(pem, status: .ok)
        }
    }

    private func faults(_ world: AppStoreWorld) -> Response {
        .json(JSONWriter.text { $0.list("faults", world.faults) { $0.write(into: &$1) } })
    }

    private func clock(_ world: AppStoreWorld) -> Response {
        let now = world.clock.now
        return .json { json in
            json.date("now", now)
            json.member("nowAt", now.rfc3339)
        }
    }

    private func moveClock(_ members: RequestMembers) throws -> Response {
        let seconds = try members.integer("advanceSeconds")
        let isReset = try members.boolean("reset") == true
        let moment = try members.moment("now") ?? (isReset ? SimulatedClock.machine : nil)
        guard (moment == nil) != (seconds == nil) else {
            throw RequestFault(status: 400, detail: "Give now, advanceSeconds, or reset for the machine's time.")
        }
        return try store.change { world in
            let target = moment ?? world.clock.now.adding(seconds: seconds ?? 0)
            guard world.clock.set(to: target) else {
                throw RequestFault.member(moment == nil ? "advanceSeconds" : "now", "The clock goes from 2020 to 2040.")
            }
            world.advance(signer: store.signer)
            return clock(world)
        }
    }

    private func registerKey(_ members: RequestMembers) throws -> Response {
        let (bundleId, id) = (try members.requiredString("bundleId"), try members.requiredString("keyIdentifier"))
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: try members.requiredString("publicKey")) else {
            throw RequestFault.member("publicKey", "A P-256 public key in PEM is expected: openssl pkey -pubout.")
        }
        return try changeApp(bundleId) { $0.keys[id] = key }
    }

    private func setNotificationURL(_ members: RequestMembers) throws -> Response {
        guard let url = StoreApp.notificationURL(try members.requiredString("url")) else {
            throw RequestFault.member("url", "An http or https address is expected.")
        }
        return try changeApp(try members.requiredString("bundleId")) { $0.notificationURL = url }
    }

    private func changeApp(_ bundleId: String, _ change: (inout StoreApp) -> Void) throws -> Response {
        try store.change { world in
            let app = try world.changeApp(bundleId, change)
            return .json { json in
                json.member("bundleId", app.bundleId)
                json.list("keys", app.keys.keys.sorted()) { $1.string($0) }
                json.optional("notificationURL", app.notificationURL?.absoluteString)
            }
        }
    }

    private func notifications(_ world: AppStoreWorld) -> Response {
        .json { json in
            json.objects("notifications", world.notifications) { notification, json in
                json.member("notificationUUID", notification.id)
                json.member("notificationType", notification.kind.rawValue)
                json.optional("subtype", notification.subtype?.rawValue)
                json.optional("originalTransactionId", notification.originalTransactionId)
                notification.write(into: &json)
            }
        }
    }
}

extension AppStoreWorld {
    /// Writes the members of a customer, with the evidence that the customer's device has.
    func view(of customer: StoreCustomer, _ signer: AppStoreSigner) throws -> (inout JSONWriter) -> Void {
        guard let app = app(customer.bundleId) else { throw RequestFault.notFound("No such app.") }
        let payloads = Payloads(app, customer, signedDate: clock.now)
        let receipt = try StoreReceipt.text(of: customer, at: clock.now, signer: signer)
        return { json in
            json.member("name", customer.name)
            json.member("bundleId", customer.bundleId)
            json.member("environment", customer.environment.rawValue)
            json.member("appTransactionId", customer.appTransactionId)
            json.member("receipt", receipt)
            json.objects("subscriptions", customer.subscriptions) { subscription, json in
                let (newest, period) = (subscription.newest, subscription.period)
                json.member("originalTransactionId", subscription.originalTransactionId)
                json.member("transactionId", newest.transactionId)
                json.member("productId", newest.productId)
                json.member("subscriptionGroupIdentifier", newest.groupId)
                json.member("status", subscription.status)
                json.date("expiresDate", newest.expiresDate)
                json.optional("appAccountToken", newest.appAccountToken)
                let old = TransactionReceipt.text(of: newest, customer: customer, signer: signer)
                json.member("transactionReceipt", old)
                json.member("signedTransaction", signer.jws(payloads.transaction(newest)))
                json.member("signedRenewalInfo", signer.jws(payloads.renewal(subscription)))
                guard period.count > 1 else { return }
                json.list("signedTransactions", period) { $1.string(signer.jws(payloads.transaction($0))) }
            }
        }
    }
}
