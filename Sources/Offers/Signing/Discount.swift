/// A signed offer, from which the app builds an `SKPaymentDiscount` or StoreKit 2's `promotionalOffer` purchase option.
package struct Discount: Equatable, Sendable {
    /// The time for which Apple takes a signature after its timestamp: 24 hours.
    package static let lifetimeSeconds: Int64 = 86400

    package let identifier: String
    package let keyIdentifier: String
    package let nonce: Nonce
    package let timestamp: Timestamp
    /// ASN.1 DER, whose Base64 text `SKPaymentDiscount` takes.
    package let signature: [UInt8]

    /// The moment from which Apple no longer takes it.
    package var expiresAt: Timestamp { timestamp.adding(seconds: Self.lifetimeSeconds) }

    package init(
        offerId: String,
        productId: String,
        bundleId: String,
        account: Account,
        nonce: Nonce = Nonce(),
        timestamp: Timestamp,
        signer: any ES256Signer
    ) throws(SigningFailure) {
        let payload = try DiscountPayload(
            bundleId: bundleId,
            keyIdentifier: signer.keyIdentifier,
            productId: productId,
            offerId: offerId,
            account: account,
            nonce: nonce,
            timestamp: timestamp
        )
        self.identifier = offerId
        self.keyIdentifier = signer.keyIdentifier
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = try signer.derSignature(over: payload.bytes.span)
    }
}

/// The payload that is signed for an `SKPaymentDiscount`: seven fields joined by U+2063.
///
/// The rule is Apple's: "Generating a signature for promotional offers", StoreKit documentation.
package struct DiscountPayload: Sendable {
    /// In UTF-8.
    package let bytes: [UInt8]

    /// The account is a token in lowercase, a username verbatim, or an empty field; throws when a field holds U+2063.
    package init(
        bundleId: String,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: Account,
        nonce: Nonce,
        timestamp: Timestamp
    ) throws(SigningFailure) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        func append(_ text: String, _ field: String) throws(SigningFailure) {
            guard !InvisibleSeparator.isFound(in: text) else {
                throw SigningFailure(keyIdentifier: keyIdentifier, detail: "the \(field) holds U+2063")
            }
            if field != "bundleId" { bytes.append(contentsOf: InvisibleSeparator.utf8) }
            bytes.append(contentsOf: text.utf8)
        }
        try append(bundleId, "bundleId")
        try append(keyIdentifier, "keyIdentifier")
        try append(productId, "productId")
        try append(offerId, "offerId")
        try append(account.payloadField, "account")
        try append(nonce.text, "nonce")
        try append(String(timestamp.millisecondsSince1970), "timestamp")
        self.bytes = bytes
    }
}

/// The one-time UUID of a signature: random (version 4) and in lowercase, as Apple compares it.
///
/// Apple takes a nonce once, for one buy request. 122 random bits make a repetition impossible in practice.
package struct Nonce: Hashable, Sendable {
    /// 36 characters in lowercase.
    package let text: String

    /// Random by the system's cryptographically secure generator.
    package init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Random by the generator's next two words.
    package init(using generator: inout some RandomNumberGenerator) {
        // RFC 9562 §5.4: version 4 in the high nibble of octet 6, variant 10 in the two high bits of octet 8.
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        self.text = String.uuid(octets: 16) { octet in
            UInt8(truncatingIfNeeded: (octet < 8 ? high : low) >> UInt64(56 - octet % 8 * 8))
        }
    }
}
