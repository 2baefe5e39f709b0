/// A payload that a backend may have signed: the right one, but for the mistakes that it is a guess of.
struct PayloadGuess {
    /// The seven fields, in Apple's order.
    var fields: [String]
    /// What joins them.
    var separator: String = "\u{2063}"
    /// What follows the last field.
    var ending: String = ""
    /// The order in which they are joined, by their positions in Apple's order; a field that is missing is left out.
    var order: [Int] = Array(0..<7)
    /// How it was hashed.
    var hash = SignedHash.sha256
    /// The key that signed it; `nil` when it is the one that was named.
    var key: (any SignatureVerifier)?
    /// The mistakes.
    var found: [Mistake.Found] = []

    /// The positions of the fields in Apple's order.
    enum Field: Int, CaseIterable {
        case bundleId
        case keyIdentifier
        case productId
        case offerId
        case account
        case nonce
        case timestamp
    }

    /// What a mistake changes: two mistakes in one part do not occur together, mistakes in different parts do.
    enum Part: Hashable {
        case field(Field)
        case separator
        case order
        case hash
        case key
        /// Several parts at once: looked for alone, as together with others there would be too many.
        case several
    }

    /// The payload's bytes.
    var bytes: [UInt8] {
        Array((order.map { fields[$0] }.joined(separator: separator) + ending).utf8)
    }

    /// One of its fields.
    subscript(field: Field) -> String {
        get { fields[field.rawValue] }
        set { fields[field.rawValue] = newValue }
    }

    /// The app that it is for.
    var bundleId: String { self[.bundleId] }

    /// The offer that it is for.
    var offer: OfferRequest { OfferRequest(productId: self[.productId], offerId: self[.offerId]) }

    /// Whether the same would be signed in the same way.
    func isSame(as other: PayloadGuess) -> Bool {
        fields == other.fields && separator == other.separator && ending == other.ending && order == other.order
            && hash == other.hash && key?.keyIdentifier == other.key?.keyIdentifier
    }
}
