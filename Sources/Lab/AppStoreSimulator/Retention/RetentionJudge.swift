import Foundation
import Offers
import StrictJSON

/// The screen for a customer who looks at a subscription: the endpoint's answer, or the App Store's substitute for it.
struct RetentionScreen: Equatable, Sendable {
    enum Kind: String, Sendable {
        case message, alternateProduct, promotionalOffer, nothing
        /// The default message of product and language.
        case defaultMessage = "default"
    }

    var kind = Kind.nothing
    /// The message's identifier.
    var message: String?
    /// The product that the customer can take instead of cancelling.
    var product: StoreProduct?
    /// The plan of an alternate product.
    var plan: BillingPlanType?
    var offer: StoreOffer?
    /// The nonce of the offer's signature.
    var nonce: String?
}

/// The reason why the App Store does not show an endpoint's answer.
struct RetentionRefusal: Error, Equatable {
    /// The kind of failure, as the results of a performance test count it (`sendAttemptResult`).
    let result: String
    let reason: String

    static func invalid(_ reason: String) -> RetentionRefusal {
        RetentionRefusal(result: "INVALID_RESPONSE", reason: reason)
    }
}

/// Whether the App Store takes an endpoint's answer (`RealtimeResponseBody`).
struct RetentionJudge {
    private static let choices = ["message", "alternateProduct", "promotionalOffer", "advancedCommerceInfo"]

    let question: RetentionQuestion
    let nonces: Set<String>
    let now: Timestamp

    /// Judges an answer with the status 200.
    func screen(_ body: [UInt8]) throws(RetentionRefusal) -> RetentionScreen {
        do {
            let answer = try RequestMembers(json: body)
            try answer.allow(Self.choices)
            var chosen: [(name: String, members: RequestMembers)] = []
            for name in Self.choices { if let members = try answer.object(name) { chosen.append((name, members)) } }
            guard chosen.count == 1, let choice = chosen.first else {
                throw RetentionRefusal.invalid("Exactly one of \(Self.choices.joined(separator: ", ")) is expected.")
            }
            switch choice.name {
            case "message":
                let message = try message(choice.members, ["messageIdentifier"], allowsImage: true)
                return RetentionScreen(kind: .message, message: message)
            case "alternateProduct": return try alternateProduct(choice.members)
            case "promotionalOffer": return try promotionalOffer(choice.members)
            default: throw RetentionRefusal.invalid("Advanced Commerce is not played here.")
            }
        } catch let refusal as RetentionRefusal {
            throw refusal
        } catch let fault as RequestFault {
            throw .invalid("\(fault.pointer.map { "\($0): " } ?? "")\(fault.detail)")
        } catch {
            throw .invalid("\(error)")
        }
    }

    private func message(_ members: RequestMembers, _ names: [String], allowsImage: Bool) throws -> String {
        try members.allow(names)
        let text = try members.requiredString("messageIdentifier")
        guard let id = UUID(uuidString: text)?.uuidString.lowercased() else {
            throw RetentionRefusal.invalid("messageIdentifier is no UUID.")
        }
        guard let message = question.setup.message(id) else {
            throw RetentionRefusal.invalid(
                "No message \(id) was uploaded in \(question.customer.environment.rawValue)."
            )
        }
        guard message.state == .approved else {
            throw RetentionRefusal.invalid("The message \(id) is \(message.state.rawValue), not APPROVED.")
        }
        guard allowsImage || message.images.isEmpty else {
            throw RetentionRefusal.invalid("The message \(id) has an image, and goes with no offer and no product.")
        }
        return id
    }

    private func alternateProduct(_ members: RequestMembers) throws -> RetentionScreen {
        let names = ["messageIdentifier", "productId", "billingPlanType"]
        let message = try message(members, names, allowsImage: false)
        let product = try product(try members.requiredString("productId"))
        let text = try members.string("billingPlanType") ?? BillingPlanType.billedUpfront.rawValue
        guard let plan = BillingPlanType(rawValue: text), product.has(plan) else {
            throw RetentionRefusal.invalid("\(product.id) has no billingPlanType \(text).")
        }
        guard product.id != question.productId || plan != question.subscription.latest.plan else {
            throw RetentionRefusal.invalid("\(product.id) is the product that the customer has.")
        }
        return RetentionScreen(kind: .alternateProduct, message: message, product: product, plan: plan)
    }

    private func promotionalOffer(_ members: RequestMembers) throws -> RetentionScreen {
        let names = ["messageIdentifier", "promotionalOfferSignatureV2", "promotionalOfferSignatureV1"]
        let message = try message(members, names, allowsImage: false)
        guard try members.object("promotionalOfferSignatureV1") == nil else {
            throw RetentionRefusal.invalid("Only promotionalOfferSignatureV2 is judged here.")
        }
        let text = try members.requiredString("promotionalOfferSignatureV2")
        guard let claims = ES256JWS(text) else {
            throw RetentionRefusal.invalid("promotionalOfferSignatureV2 is no compact JWS.")
        }
        let product = try product(claims.string("productId") ?? "")
        guard claims.string("transactionId") == question.subscription.originalTransactionId else {
            throw RetentionRefusal.invalid("The claim transactionId is not the call's originalTransactionId.")
        }
        let rules = StoreKitRules(
            app: question.app,
            customer: question.customer,
            product: product,
            account: .none,
            now: now
        )
        var nonces = nonces
        do throws(StoreKitError) {
            let offer = try rules.offer(.jws(offerId: claims.string("offerIdentifier"), text), nonces: &nonces)
            var screen = RetentionScreen(kind: .promotionalOffer, message: message, product: product, offer: offer)
            screen.nonce = claims.string("nonce")
            return screen
        } catch {
            throw RetentionRefusal.invalid("\(error.code): \(error.reason)")
        }
    }

    private func product(_ id: String) throws(RetentionRefusal) -> StoreProduct {
        guard let product = question.app.product(id) else { throw .invalid("The app has no product \(id).") }
        guard product.groupId == question.subscription.latest.groupId else {
            throw .invalid("\(id) is of another subscription group than \(question.productId).")
        }
        return product
    }
}
