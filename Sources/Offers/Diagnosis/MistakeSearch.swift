/// Looks for the mistakes with which a signature is one of an app's keys, by trying: the search of one report.
struct MistakeSearch {
    /// How many guesses one report may cost; a guess that is tried with several keys counts for each.
    ///
    /// Each takes a twentieth of a millisecond or little more, so all of them take a quarter of a second.
    static let maximumTries = 4000

    /// The signature.
    let form: SignatureText.Form
    /// The payload that StoreKit composes of what it was given.
    let right: PayloadGuess
    private let situation: Mistake.Situation
    /// The public halves of the keys that the report names: one, or none.
    private let named: [any SignatureVerifier]

    /// The cost of the search so far.
    private(set) var tries = 0
    /// Whether everything was tried that these values could have been.
    private(set) var isExhaustive = false

    /// Prepares a search.
    init(of form: SignatureText.Form, in situation: Mistake.Situation) {
        self.form = form
        self.situation = situation
        right = PayloadGuess(fields: situation.report.fields)
        named = situation.keys.filter { $0.keyIdentifier == situation.report.keyIdentifier }
    }

    /// Whether the signature is right for what StoreKit was given.
    mutating func isRight() -> Bool { isSigned(right) }

    /// The payload of the fewest mistakes that one of the app's keys signed.
    ///
    /// - Returns: The payload; `nil` when none of what was tried explains the signature.
    mutating func signedGuess() -> PayloadGuess? {
        if isRight() { return right }
        let ways = Mistake.payloads.flatMap { $0.ways(in: situation) }.filter { $0.applied(to: right) != nil }
        let singles = Dictionary(grouping: ways) { $0.part == .several ? Int.max : $0.rank }
        for (_, ways) in singles.sorted(by: { $0.key < $1.key }) {
            for way in ways {
                guard mayTry else { return nil }
                if let guess = way.applied(to: right), isSigned(guess) { return guess }
            }
        }
        return signedPair(of: Dictionary(grouping: ways, by: \.rank))
    }

    /// The payload of two mistakes that one of the app's keys signed.
    ///
    /// The likeliest pairs come first: those whose ranks have the smallest product. So what does not fit into
    /// ``maximumTries`` is two mistakes of which each is rare.
    private mutating func signedPair(of ways: [Int: [Mistake.Way]]) -> PayloadGuess? {
        let ranks = ways.keys.sorted()
        for product in 1...Self.maximumTries {
            for low in ranks.prefix(while: { $0 * $0 <= product }) where product.isMultiple(of: low) {
                guard let firsts = ways[low], let seconds = ways[product / low] else { continue }
                for (place, first) in firsts.enumerated() {
                    let rest = low * low == product ? seconds[(place + 1)...] : seconds[...]
                    for second in rest where mayOccur(first, second) {
                        guard mayTry else { return nil }
                        let double = first.applied(to: right).flatMap(second.applied)
                        if let double, isSigned(double) { return double }
                    }
                }
            }
        }
        let last = ranks.last ?? 0
        isExhaustive = last * last <= Self.maximumTries && Mistake.tries(allOf: situation.app)
        return nil
    }

    /// Whether two mistakes may occur together: they change different parts.
    ///
    /// Fields that are undefined together are ways by themselves. If no key of the app is the one named, that is one
    /// of the two mistakes.
    private func mayOccur(_ first: Mistake.Way, _ second: Mistake.Way) -> Bool {
        let parts = (first.part, second.part)
        if named.isEmpty { return parts.0 != parts.1 && (parts.0 == .key || parts.1 == .key) }
        if parts.0 == parts.1 || parts.0 == .several || parts.1 == .several { return false }
        return first.found.first?.mistake.code != second.found.first?.mistake.code
    }

    /// Whether there is anything left to spend, and anybody who waits for it.
    private var mayTry: Bool { tries < Self.maximumTries && !Task.isCancelled }

    /// Whether a guess is what its key signed.
    private mutating func isSigned(_ guess: PayloadGuess) -> Bool {
        let keys = guess.key.map { [$0] } ?? named
        guard !keys.isEmpty else { return false }
        let bytes = guess.bytes
        for key in keys {
            guard mayTry else { return false }
            tries += 1
            if key.isSignature(form, over: bytes, hashedBy: guess.hash) { return true }
        }
        return false
    }
}

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

    /// The part that a mistake changes: two mistakes in one part do not occur together, mistakes in different parts do.
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
