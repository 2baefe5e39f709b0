import Foundation
import HTTPTypes
import Hummingbird
import Offers
import StrictJSON

/// The simulator's own routes to retention messages: a customer who is about to cancel, the app's address, Apple's review.
struct RetentionControlRoutes {
    let store: SimulatedAppStore

    func add(to router: some RouterMethods<SimulatorContext>) {
        router.post("retention", members: "originalTransactionId", "userLocale", "requestIdentifier", "takes") {
            try await ask($0)
        }
        router.post("retention-url", members: "bundleId", "environment", "url") { try setURL($0) }
        router.post("retention-messages", members: "bundleId", "messageIdentifier", "state") { try review($0) }
    }

    /// Lets a customer look at a subscription that could be cancelled.
    private func ask(_ members: RequestMembers) async throws -> Response {
        let id = try members.requiredString("originalTransactionId")
        let identifier = try members.string("requestIdentifier")
        guard identifier == nil || identifier.flatMap(UUID.init(uuidString:)) != nil else {
            throw RequestFault.member("requestIdentifier", "A UUID is expected; leave it out for a new call.")
        }
        let takes = try members.boolean("takes") ?? false
        let locale = try members.string("userLocale") ?? "en-US"
        let question = try RetentionQuestion(about: id, in: locale, identifier: identifier, store.current())
        let outcome = await RetentionCaller(store: store).ask(question)
        var notification: String?
        if takes {
            let signer = store.signer
            notification = try store.change { world in
                let change = try world.accept(outcome.screen, of: id)
                world.notify(change, signer)
                return change.events.first?.kind.rawValue
            }
        }
        return .json { json in
            json.member("requestIdentifier", question.identifier)
            json.optional("signedPayload", outcome.signedPayload)
            json.optional("status", outcome.status.map(Int64.init))
            if outcome.status != nil { json.member("body", String(decoding: outcome.body, as: UTF8.self)) }
            json.member("shown", outcome.screen.kind.rawValue)
            json.optional("messageIdentifier", outcome.screen.message)
            json.optional("productId", outcome.screen.product?.id)
            json.optional("billingPlanType", outcome.screen.plan?.rawValue)
            json.optional("offerIdentifier", outcome.screen.offer?.id)
            json.optional("reason", outcome.refusal?.reason)
            json.optional("notificationType", notification)
        }
    }

    /// Sets the address that is asked, also one on this machine, which Apple would not take.
    private func setURL(_ members: RequestMembers) throws -> Response {
        guard let url = StoreApp.notificationURL(try members.requiredString("url")) else {
            throw RequestFault.member("url", "An http or https address is expected.")
        }
        let environment = try members.environment()
        return try change(try members.requiredString("bundleId")) { app in
            for place in [AppStoreEnvironment.production, .sandbox] where environment == nil || environment == place {
                app.retention[place].url = url
            }
        }
    }

    /// Gives Apple's verdict on a message or an image.
    private func review(_ members: RequestMembers) throws -> Response {
        let id = try members.requiredString("messageIdentifier").lowercased()
        guard let state = ReviewState(rawValue: try members.requiredString("state")) else {
            throw RequestFault.member("state", "PENDING, APPROVED or REJECTED is expected.")
        }
        return try change(try members.requiredString("bundleId")) { app in
            var isKnown = false
            for place in [AppStoreEnvironment.production, .sandbox] {
                var setup = app.retention[place]
                for index in setup.messages.indices where setup.messages[index].id == id {
                    (setup.messages[index].state, isKnown) = (state, true)
                }
                for index in setup.images.indices where setup.images[index].id == id {
                    (setup.images[index].state, isKnown) = (state, true)
                }
                app.retention[place] = setup
            }
            guard isKnown else { throw RequestFault.member("messageIdentifier", "Nothing was uploaded under it.") }
        }
    }

    private func change(_ bundleId: String, _ change: (inout StoreApp) throws -> Void) throws -> Response {
        try store.change { world in
            _ = try world.changeApp(bundleId, change)
            return .json { $0.member("bundleId", bundleId) }
        }
    }
}

extension AppStoreWorld {
    /// Has a customer accept what is shown instead of cancelling: an offer, or another product.
    mutating func accept(_ screen: RetentionScreen, of id: String) throws(RequestFault) -> Change {
        guard let product = screen.product, let plan = screen.plan ?? screen.offer?.plan else {
            throw .member("takes", "The customer is shown nothing to take.")
        }
        // Each signature is for one purchase.
        if let nonce = screen.nonce { nonces.insert(nonce.lowercased()) }
        let now = clock.now
        return try changeSubscription(of: id) { (subscription, app, numbers) throws(RequestFault) in
            let account = subscription.latest.appAccountToken
            let payment = Payment(product: product, plan: plan, offer: screen.offer, start: now, account: account)
            let old = app.product(subscription.latest.productId)
            let (kind, subtype) = subscription.buy(payment, insteadOf: old, numbers: &numbers)
            return [StoreEvent(kind, subtype, at: now, subscription)]
        }
    }
}
