package import OfferService
package import Offers
import StrictJSON

package enum CustomerCall: Sendable {
    case signatures
    case eligibility
    case introductorySignatures
    /// The form of the operators' page: a question about eligibility, also at another time, or about a subscription alone.
    case trial
}

extension CustomerRequest {
    /// Reads the body of a call; throws 400, with a pointer to the field at fault, or 403.
    package convenience init(
        json: [UInt8],
        of call: CustomerCall,
        from client: Client,
        explaining: Bool = false,
        timeout: Duration? = nil,
        answeredOnceAs once: IdempotentCall? = nil
    ) throws(Problem) {
        let (members, kind, account): (CallMembers, Kind, Account)
        do throws(JSONFault) {
            members = try CallMembers(json: json, of: call)
            kind = try members.kind(of: call)
            account = try members.account()
        } catch {
            throw Problem(error)
        }
        let bundleId = try client.app(named: members.bundleId)
        if let kind = members.evidence?.kind, !client.evidence.contains(kind) {
            throw .evidenceNotAllowed(kind, for: client)
        }
        if once != nil, members.explain { throw .explainedOnce }
        self.init(
            client: client.name,
            bundleId: bundleId,
            account: account,
            evidence: members.evidence,
            environments: client.environments,
            kind,
            explain: members.explain || explaining,
            trial: call == .trial ? CustomerRequest.Trial(of: members.originalTransactionId, at: members.at) : nil,
            timeout: timeout,
            idempotency: once.map { Idempotency($0) { $0.json } }
        )
    }
}

extension CallMembers {
    fileprivate func kind(of call: CustomerCall) throws(JSONFault) -> CustomerRequest.Kind {
        switch call {
        case .signatures:
            guard let offers else {
                throw JSONFault(.missingMember, "The offers to sign are missing.").inside(member: "offers")
            }
            return .signatures(offers, formats: formats)
        case .introductorySignatures:
            guard let products else {
                throw JSONFault(.missingMember, "The products are missing.").inside(member: "products")
            }
            guard !products.isEmpty else {
                throw JSONFault(.invalidValue, "Ask for at least one product.").inside(member: "products")
            }
            return .introductorySignatures(products, transactionId: transactionId, allowing: allowIntroductoryOffer)
        case .eligibility, .trial: return .eligibility(offers, products: products ?? [])
        }
    }
}

enum CallMember: String, CaseIterable {
    // Members of all calls.
    case bundleId
    case appAccountToken
    case applicationUsername
    case evidence
    case explain
    // Members of some calls.
    case offers
    case formats
    case products
    case transactionId
    case allowIntroductoryOffer
    case originalTransactionId
    case at

    static let table = JSONMembers(CallMember.self)
}

extension CustomerCall {
    func has(_ member: CallMember) -> Bool {
        switch member {
        case .bundleId, .appAccountToken, .applicationUsername, .evidence, .explain: true
        case .offers: self != .introductorySignatures
        case .formats: self == .signatures
        case .products: self != .signatures
        case .transactionId, .allowIntroductoryOffer: self == .introductorySignatures
        case .originalTransactionId, .at: self == .trial
        }
    }

    func unknown(_ member: CallMember?) -> JSONFault {
        switch (self, member) {
        case (.eligibility, .formats), (.trial, .formats):
            JSONFault(.unknownMember, "There is no such member: nothing is signed here.")
        case (.introductorySignatures, .offers), (.introductorySignatures, .formats):
            JSONFault(.unknownMember, "There is no such member: only introductory offers are signed here.")
        default: JSONFault(unknownAmong: CallMember.allCases.filter(has).map(\.rawValue))
        }
    }
}
