/// What is signed for an `SKPaymentDiscount`: seven fields joined by U+2063.
///
/// The rule is Apple's: "Generating a signature for promotional offers", StoreKit documentation.
public struct DiscountPayload: Sendable {
    /// The payload in UTF-8.
    public let bytes: [UInt8]

    /// Composes the payload.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - keyIdentifier: The identifier of the key that is going to sign.
    ///   - productId: The product being bought.
    ///   - offerId: The promotional offer's identifier.
    ///   - account: The account: a token in lowercase, a username verbatim, or an empty field.
    ///   - nonce: The signature's one-time UUID.
    ///   - timestamp: When it is signed, in milliseconds.
    /// - Throws: ``SeparatorInField`` when a field holds U+2063.
    public init(
        bundleId: String,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: Account,
        nonce: Nonce,
        timestamp: Timestamp
    ) throws(SeparatorInField) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        func append(_ text: String, _ field: SeparatorInField) throws(SeparatorInField) {
            if InvisibleSeparator.isFound(in: text) { throw field }
            if field != .bundleId { bytes.append(contentsOf: InvisibleSeparator.utf8) }
            bytes.append(contentsOf: text.utf8)
        }
        try append(bundleId, .bundleId)
        try append(keyIdentifier, .keyIdentifier)
        try append(productId, .productId)
        try append(offerId, .offerId)
        try append(account.payloadField, .account)
        try append(nonce.text, .nonce)
        try append(String(timestamp.millisecondsSince1970), .timestamp)
        self.bytes = bytes
    }
}
