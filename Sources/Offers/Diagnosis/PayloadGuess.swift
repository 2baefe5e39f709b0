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
    /// The key that signed it; `nil` when it is the one that was named.
    var key: (any SignatureVerifier)?
    /// The mistakes.
    var mistakes: [DiagnosisCode] = []

    /// The payload's bytes.
    var bytes: [UInt8] {
        Array((order.map { fields[$0] }.joined(separator: separator) + ending).utf8)
    }

    /// One of its fields.
    subscript(field: Field) -> String { fields[field.rawValue] }

    /// The app that it is for.
    var bundleId: String { self[.bundleId] }

    /// The offer that it is for.
    var offer: OfferRequest { OfferRequest(productId: self[.productId], offerId: self[.offerId]) }

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

    /// The guess with one field as a mistake would have made it.
    func with(_ field: Field, _ text: String, _ mistake: DiagnosisCode) -> PayloadGuess {
        var guess = self
        guess.fields[field.rawValue] = text
        guess.mistakes.append(mistake)
        return guess
    }
}
