import Offers
import StrictJSON

/// The body of `POST /v1/introductory-eligibility-signatures`, well-formed, before anything is known about the caller.
struct IntroductorySignatureCall {
    /// The app; `nil` where it was left out.
    let bundleId: String?
    /// The customer's account.
    let account: Account
    /// What shows what the customer has.
    let evidence: Evidence?
    /// The products, 1 to 100.
    let products: [String]
    /// Any transaction of the customer, or the `appTransactionId`; `nil` to take one from the evidence.
    let transactionId: String?
    /// Whether the client would let the customer have the offers.
    let allowIntroductoryOffer: Bool
    /// Whether each decision is to carry every rule that was asked.
    let explain: Bool

    /// Reads the body of a call.
    ///
    /// - Parameter json: The body.
    /// - Throws: `JSONFault`, with a pointer to the field at fault.
    init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        var fields = SignatureCall.Fields()
        var products: [String]?
        var transactionId: String?
        var allowIntroductoryOffer = true
        try reader.readObject(CallMember.table) { (member, reader) throws(JSONFault) in
            switch member {
            case .products: products = try reader.readProducts()
            case .transactionId: transactionId = try reader.readTransactionId()
            case .allowIntroductoryOffer: allowIntroductoryOffer = try reader.readBool()
            case .offers, .formats:
                throw JSONFault(.unknownMember, "There is no such member: only introductory offers are signed here.")
            default: try fields.read(member, from: &reader, of: .introductorySignatures)
            }
        }
        try reader.readEnd()
        guard let products else {
            throw JSONFault(.missingMember, "The products are missing.").inside(member: "products")
        }
        guard !products.isEmpty else {
            throw JSONFault(.invalidValue, "Ask for at least one product.").inside(member: "products")
        }
        self.bundleId = fields.bundleId
        self.account = try fields.account()
        self.evidence = fields.evidence
        self.products = products
        self.transactionId = transactionId
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.explain = fields.explain
        try fields.requireSomebody()
    }
}
