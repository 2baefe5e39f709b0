package import OfferService
import Offers
import StrictJSON

extension SignatureRequest {
    /// Reads the body of `POST /v1/signatures`.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - client: The client that sent it.
    /// - Throws: `Problem` 400, with a pointer to the field at fault, or 403.
    package convenience init(json: [UInt8], from client: Client) throws(Problem) {
        let (members, account, offers) = try CallMembers.read(json, of: .signatures) { members throws(JSONFault) in
            guard let offers = members.offers else {
                throw JSONFault(.missingMember, "The offers to sign are missing.").inside(member: "offers")
            }
            return offers
        }
        self.init(
            client: client.name,
            bundleId: try client.app(of: members),
            account: account,
            evidence: members.evidence,
            offers: offers,
            formats: members.formats,
            explain: members.explain
        )
    }
}

extension EligibilityRequest {
    /// Reads the body of `POST /v1/eligibility`.
    init(json: [UInt8], from client: Client) throws(Problem) {
        let (members, account, _) = try CallMembers.read(json, of: .eligibility) { _ in }
        self.init(
            bundleId: try client.app(of: members),
            account: account,
            evidence: members.evidence,
            offers: members.offers,
            products: members.products ?? [],
            explain: members.explain
        )
    }
}

extension IntroductorySignatureRequest {
    /// Reads the body of `POST /v1/introductory-eligibility-signatures`.
    init(json: [UInt8], from client: Client) throws(Problem) {
        let call = CallMember.Call.introductorySignatures
        let (members, account, products) = try CallMembers.read(json, of: call) { members throws(JSONFault) in
            guard let products = members.products else {
                throw JSONFault(.missingMember, "The products are missing.").inside(member: "products")
            }
            guard !products.isEmpty else {
                throw JSONFault(.invalidValue, "Ask for at least one product.").inside(member: "products")
            }
            return products
        }
        self.init(
            client: client.name,
            bundleId: try client.app(of: members),
            account: account,
            evidence: members.evidence,
            products: products,
            transactionId: members.transactionId,
            allowIntroductoryOffer: members.allowIntroductoryOffer,
            explain: members.explain
        )
    }
}

extension CallMembers {
    /// Reads a body, and what the call needs of it.
    fileprivate static func read<Needed>(
        _ json: [UInt8],
        of call: CallMember.Call,
        needing needed: (CallMembers) throws(JSONFault) -> Needed
    ) throws(Problem) -> (CallMembers, Account, Needed) {
        do throws(JSONFault) {
            let members = try CallMembers(json: json, of: call)
            let value = try needed(members)
            return (members, try members.account(), value)
        } catch {
            throw Problem(error)
        }
    }
}

extension Client {
    /// The app that a call is for, when the client may ask for it with this evidence.
    fileprivate func app(of members: CallMembers) throws(Problem) -> String {
        let bundleId = try app(named: members.bundleId)
        if let kind = members.evidence?.kind, !evidence.contains(kind) { throw .evidenceNotAllowed(kind, for: self) }
        return bundleId
    }
}
