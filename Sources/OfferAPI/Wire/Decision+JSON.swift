import Offers
import StrictJSON

extension JSONWriter {
    /// Writes the members of a decision about an offer, but not its signature.
    mutating func members(of decision: Decision, about request: OfferRequest, isAppStores: Bool) {
        member("productId", request.productId)
        member("offerId", request.offerId)
        member("verdict", decision.verdict.rawValue)
        member("reason", decision.reason.rawValue)
        member("detail", decision.detail)
        if let basis = decision.basis { members(of: basis, isAppStores: isAppStores) }
        if let begins = decision.begins { member("begins", begins.rawValue) }
        if decision.replacesActiveOffer { flag("replacesActiveOffer", true) }
        if let explanation = decision.explanation { member("explanation", explanation) }
    }

    private mutating func members(of basis: DecisionBasis, isAppStores: Bool) {
        member("source", basis.source(isAppStores: isAppStores))
        if let asOf = basis.asOf { member("asOf", asOf.rfc3339) }
    }

    mutating func member(_ name: StaticString, _ decision: IntroductoryDecision, isAppStores: Bool) {
        object(name) { offer in
            offer.member("verdict", decision.verdict.rawValue)
            offer.member("reason", decision.reason.rawValue)
            offer.member("detail", decision.detail)
            if let basis = decision.basis { offer.members(of: basis, isAppStores: isAppStores) }
            if let explanation = decision.explanation { offer.member("explanation", explanation) }
        }
    }

    mutating func member(_ name: StaticString, _ explanation: [RuleFinding]) {
        objects(name, explanation) { finding, members in
            members.member("rule", finding.rule)
            members.member("saw", finding.saw)
            members.member("verdict", finding.verdict.rawValue)
        }
    }

    /// Writes an account, which the client has to set on the payment.
    mutating func member(_ name: StaticString, _ account: Account) {
        object(name) { members in
            switch account {
            case .appAccountToken(let token): members.member("appAccountToken", token.lowercased)
            case .applicationUsername(let name): members.member("applicationUsername", name)
            case .none: break
            }
        }
    }
}
