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
            try world.advance(signer: store.signer)
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

struct CustomerView {
    private let customer: StoreCustomer
    private let receipt: String
    private let subscriptions: [(item: SignedItem, newest: StoreTransaction, receipt: String, period: [String])]

    init(_ customer: StoreCustomer, _ world: AppStoreWorld, _ signer: AppStoreSigner) throws {
        self.customer = customer
        let now = world.clock.now
        receipt = try AppReceipt.text(of: customer, at: now, signer: signer)
        guard let app = world.app(customer.bundleId) else { throw SimulatorFault("\(customer.bundleId) is not known") }
        let payloads = Payloads(app, customer, signedDate: now)
        subscriptions = try customer.subscriptions.map { subscription in
            let newest = subscription.newest
            let period = subscription.period
            return (
                try SignedItem(subscription, about: newest, payloads, signer), newest,
                try TransactionReceipt.text(of: newest, customer: customer, signer: signer),
                period.count > 1 ? try period.map { try signer.jws(payloads.transaction($0)) } : []
            )
        }
    }

    var json: [UInt8] { JSONWriter.text(writeMembers) }

    func write(into json: inout JSONWriter) { json.object(writeMembers) }

    private func writeMembers(_ json: inout JSONWriter) {
        json.member("name", customer.name)
        json.member("bundleId", customer.bundleId)
        json.member("environment", customer.environment.rawValue)
        json.member("appTransactionId", customer.appTransactionId)
        json.member("receipt", receipt)
        json.list("subscriptions", subscriptions) { subscription, json in
            let (item, newest, receipt, period) = subscription
            json.object { json in
                json.member("originalTransactionId", item.originalTransactionId)
                json.member("transactionId", newest.transactionId)
                json.member("productId", newest.productId)
                json.member("subscriptionGroupIdentifier", newest.groupId)
                json.member("status", item.status)
                json.date("expiresDate", newest.expiresDate)
                json.optional("appAccountToken", newest.appAccountToken)
                json.member("transactionReceipt", receipt)
                json.member("signedTransaction", item.transaction)
                json.member("signedRenewalInfo", item.renewal)
                if !period.isEmpty { json.list("signedTransactions", period) { $1.string($0) } }
            }
        }
    }
}
