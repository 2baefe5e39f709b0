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
    /// The kinds of mistakes of which two may occur together, the likeliest first.
    let kinds: [MistakeKind]
    /// The kinds that are looked for alone, as together with others they would be too many.
    let lonelyKinds: [MistakeKind]
    /// The public halves of the keys that the report names: one, or none.
    private let named: [any SignatureVerifier]
    /// Of how many letters a name is tried in every mixture of cases: 64 mixtures.
    private static let mostLetters = 6

    /// The cost of the search so far.
    private(set) var tries = 0
    /// Whether everything was tried that these values could have been.
    private(set) var isExhaustive = false

    private let takesWholeCatalog: Bool

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - form: The signature.
    ///   - report: What the app gave StoreKit.
    ///   - app: The app of the catalog.
    ///   - otherBundleIds: The caller's other apps.
    ///   - otherKeys: The public halves of keys of those apps, by bundle identifier.
    ///   - verifiers: The public halves of the app's keys.
    init(
        of form: SignatureText.Form,
        in report: SignatureReport,
        of app: App,
        otherBundleIds: [String],
        otherKeys: [String: [any SignatureVerifier]] = [:],
        verifiers: [any SignatureVerifier]
    ) {
        self.form = form
        let right = PayloadGuess(fields: report.fields)
        self.right = right
        named = verifiers.filter { $0.keyIdentifier == report.keyIdentifier }
        takesWholeCatalog = MistakeKind.takes(allOf: app)
        kinds = MistakeKind.all(in: report, of: app, otherBundleIds: otherBundleIds, keys: verifiers)
            .map { $0.changing(right) }
        lonelyKinds = [
            Self.mixedCases(of: report.account),
            .placeholders(in: report),
            .otherOffers(in: report, of: app),
            .otherApps(in: report, keys: otherKeys),
        ]
    }

    /// The payload of the fewest mistakes that one of the app's keys signed.
    ///
    /// - Returns: The payload; `nil` when none of what was tried explains the signature.
    mutating func signedGuess() -> PayloadGuess? {
        if isSigned(right) { return right }
        for way in (kinds + lonelyKinds).lazy.flatMap(\.ways) {
            guard mayTry else { return nil }
            if let guess = way(right), isSigned(guess) { return guess }
        }
        return signedPair()
    }

    /// The payload of two mistakes that one of the app's keys signed.
    ///
    /// Small kinds come first, and of large ones the likeliest ways: by the product of their places. So what does not
    /// fit into ``maximumTries`` is two mistakes of many, each of them rare.
    private mutating func signedPair() -> PayloadGuess? {
        let pairs = pairs
        let last = pairs.map(\.lastProduct).max() ?? 0
        for product in stride(from: 1, through: last, by: 1) {
            for pair in pairs where product <= pair.lastProduct {
                for place in 1...min(product, pair.first.lastPlace)
                where product.isMultiple(of: place) && product / place <= pair.second.lastPlace {
                    for guess in pair.first.ways(at: place).compactMap({ $0(right) }) {
                        for way in pair.second.ways(at: product / place) {
                            guard mayTry else { return nil }
                            if let double = way(guess), isSigned(double) { return double }
                        }
                    }
                }
            }
        }
        isExhaustive = takesWholeCatalog
        return nil
    }

    /// Two kinds of mistakes that may occur together.
    private struct Pair {
        let first: MistakeKind
        let second: MistakeKind
        var size: Int { first.ways.count * second.ways.count }
        var lastProduct: Int { first.lastPlace * second.lastPlace }
    }

    /// The kinds of which two mistakes may be, the smallest pairs first.
    ///
    /// If no key of the app is the one named, that is one of the two.
    private var pairs: [Pair] {
        var pairs: [Pair] = []
        for (index, first) in kinds.enumerated() where index == 0 || !named.isEmpty {
            let seconds = kinds[(index + 1)...] + (index == 0 ? lonelyKinds : [])
            pairs += seconds.map { Pair(first: first, second: $0) }
        }
        return pairs.filter { $0.size > 0 }.sorted { $0.size < $1.size }
    }

    /// A name that was signed in mixed case, when the payment has it in another.
    private static func mixedCases(of account: Account) -> MistakeKind {
        guard case .applicationUsername(let name) = account else { return MistakeKind(ways: []) }
        let variants = name.caseVariants(ofAtMost: mostLetters)
        return MistakeKind(ways: variants.map { variant in { $0.with(.account, variant, .accountCase) } })
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
            if key.isSignature(form, over: bytes) { return true }
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
