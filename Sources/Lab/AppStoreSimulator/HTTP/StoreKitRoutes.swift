import HTTPTypes
import Hummingbird
import StrictJSON

/// The simulator's own routes to what happens on devices and in the App Store: purchases, offers, refunds, seats, restores,
/// renewals.
struct StoreKitRoutes {
    let store: SimulatedAppStore

    func add(to router: some RouterMethods<SimulatorContext>) {
        router.get("customers") { _, _ in
            let world = store.current()
            let views = try world.customers.all.map { try world.view(of: $0, store.signer) }
            return Response.json { $0.objects("customers", views) { view, json in view(&json) } }
        }
        router.get("customers/:name") { _, context in
            let world = store.current()
            let name = try context.parameters.require("name")
            guard let customer = world.customer(name) else {
                throw RequestFault.notFound("No customer is named \(name); GET /simulator/customers lists them.")
            }
            return Response.json(try world.view(of: customer, store.signer))
        }
        router.post("purchases") { request, context in
            try purchase(try PurchaseRequest(json: try await request.bytes(context)))
        }
        router.post("retention-offers", members: "originalTransactionId", "offerId") { members in
            let id = try members.requiredString("originalTransactionId")
            let offer = try members.requiredString("offerId")
            return try answer { try $0.redeemRetentionOffer(offer, for: id) }
        }
        router.post("refunds", members: "transactionId", "revocationPercentage") { members in
            let id = try members.requiredString("transactionId")
            let whole = StoreTransaction.Revocation.wholePercentage
            let percentage = try members.integer("revocationPercentage") ?? whole
            guard (1...whole).contains(percentage) else {
                throw RequestFault.member("revocationPercentage", "Thousandths of a percent are expected: 1 to 100000.")
            }
            return try answer { try $0.revoke(id, .refund(percentage: percentage)) }
        }
        for (ownership, kind) in [
            (Ownership.familyShared, StoreTransaction.Revocation.Kind.familyRevoke), (.assigned, .assignmentRevoke),
        ] {
            router.post(RouterPath(ownership.revocationRoute), members: "transactionId") { members in
                let id = try members.requiredString("transactionId")
                return try answer { try $0.revoke(id, kind) }
            }
        }
        addPeriods(to: router)
        router.post("renewals", members: "originalTransactionId", "autoRenew", "paymentFails") { members in
            let id = try members.requiredString("originalTransactionId")
            let (autoRenew, fails) = (try members.boolean("autoRenew"), try members.boolean("paymentFails"))
            return try answer { try $0.change(id, willAutoRenew: autoRenew, paymentFails: fails) }
        }
    }

    /// Adds the routes after which a purchase has several transactions, or a group several subscriptions.
    private func addPeriods(to router: some RouterMethods<SimulatorContext>) {
        router.post("seats", members: "originalTransactionId", "added", "refunded") { members in
            let id = try members.requiredString("originalTransactionId")
            switch (try members.integer("added"), try members.integer("refunded")) {
            case (let count?, nil): return try answer { try $0.addSeats(count, to: id) }
            case (nil, let count?): return try answer { try $0.refundSeats(count, of: id) }
            default: throw RequestFault(status: 400, detail: "Give added or refunded, a number of seats.")
            }
        }
        router.post("restores", members: "originalTransactionId", "newOriginal") { members in
            let id = try members.requiredString("originalTransactionId")
            let isNewOriginal = try members.boolean("newOriginal") ?? false
            return try answer { try $0.restore(id, asNewOriginal: isNewOriginal) }
        }
        router.post("id-changes", members: "originalTransactionId", "end") { members in
            let id = try members.requiredString("originalTransactionId")
            guard let change = IdChange(rawValue: try members.string("end") ?? IdChange.revoked.rawValue) else {
                throw RequestFault.member("end", "revoked or expired is expected.")
            }
            return try answer { try $0.changeId(id, change) }
        }
    }

    private func purchase(_ request: PurchaseRequest) throws -> Response {
        let signer = store.signer
        return try store.change { world in
            let purchase = try world.purchase(request)
            guard let app = world.app(purchase.customer.bundleId) else { throw RequestFault.notFound("No such app.") }
            world.notify((purchase.customer, [purchase.event]), signer)
            let payloads = Payloads(app, purchase.customer, signedDate: world.clock.now)
            return .json { json in
                json.member("signedTransaction", signer.jws(payloads.transaction(purchase.subscription.shown)))
                json.member("signedRenewalInfo", signer.jws(payloads.renewal(purchase.subscription)))
                json.object("transaction") { payloads.write(purchase.subscription.shown, into: &$0) }
                json.object("renewalInfo") { payloads.write(purchase.subscription, into: &$0) }
                json.member("notificationType", purchase.event.kind.rawValue)
            }
        }
    }

    private func answer(_ change: (inout AppStoreWorld) throws -> AppStoreWorld.Change) throws -> Response {
        let signer = store.signer
        return try store.change { world in
            let change = try change(&world)
            world.notify(change, signer)
            return .json(try world.view(of: change.customer, signer))
        }
    }
}
