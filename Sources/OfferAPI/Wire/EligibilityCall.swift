import Offers
import StrictJSON

/// The body of `POST /v1/eligibility`, well-formed, before anything is known about the caller.
struct EligibilityCall {
    /// The app; `nil` where it was left out.
    let bundleId: String?
    /// The account that the offers would be signed for.
    let account: Account
    /// What shows what the customer has.
    let evidence: Evidence?
    /// The offers, 1 to 100; `nil` for every offer of the catalog for the app.
    let offers: [OfferRequest]?
    /// The products whose introductory offers are asked about, at most 100.
    let products: [String]
    /// Whether each decision is to carry every rule that was asked.
    let explain: Bool

    /// Reads the body of a call.
    ///
    /// - Parameter json: The body.
    /// - Throws: `JSONFault`, with a pointer to the field at fault.
    init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        var fields = SignatureCall.Fields()
        var products: [String] = []
        try reader.readObject(CallMember.table) { (member, reader) throws(JSONFault) in
            switch member {
            case .products: products = try reader.readProducts()
            case .formats: throw JSONFault(.unknownMember, "There is no such member: nothing is signed here.")
            default: try fields.read(member, from: &reader, of: .eligibility)
            }
        }
        try reader.readEnd()
        self.bundleId = fields.bundleId
        self.account = try fields.account()
        self.evidence = fields.evidence
        self.offers = fields.offers
        self.products = products
        self.explain = fields.explain
        try fields.requireSomebody()
    }
}
