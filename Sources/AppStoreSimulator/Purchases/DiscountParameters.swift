/// The arguments of `SKPaymentDiscount(identifier:keyIdentifier:nonce:signature:timestamp:)`, as the client gave them.
struct DiscountParameters {
    /// The offer.
    let identifier: String?
    /// The key that signed.
    let keyIdentifier: String?
    /// A UUID.
    let nonce: String?
    /// DER in Base64.
    let signature: String?
    /// Milliseconds since 1970.
    let timestamp: Int64?

    /// Reads the `discount` of a purchase.
    ///
    /// - Parameter members: Its members; any may be missing, which is for StoreKit to refuse.
    /// - Throws: ``RequestFault`` when one is of another type, or unknown.
    init(_ members: RequestMembers) throws(RequestFault) {
        try members.allow("identifier", "keyIdentifier", "nonce", "signature", "timestamp")
        identifier = try members.string("identifier")
        keyIdentifier = try members.string("keyIdentifier")
        nonce = try members.string("nonce")
        signature = try members.string("signature")
        timestamp = try members.integer("timestamp")
    }
}
