// The rows of the table for the seven fields of a discount. To add a mistake, add a row.

extension Mistake {
    /// Mistakes that are made before a discount is signed.
    static let payloads: [Mistake] = [
        .payload(
            .nonceUppercase,
            { _ in "The payload has the nonce in upper case." },
            fix: "Lowercase the UUID's text before signing; Swift's uuidString is in upper case."
        ) { .field(.nonce, [$0.report.nonce.uppercased(), $0.report.nonce]) },
        .payload(
            .wrongKey,
            { seen in
                "The signature is by \(seen.payload.key.map { "the key \($0.keyIdentifier)" } ?? "another key"), "
                    + "not by \(seen.report.keyIdentifier)."
            },
            fix: "Sign with the key whose identifier StoreKit is given."
        ) { situation in
            situation.keys.filter { $0.keyIdentifier != situation.report.keyIdentifier }.enumerated()
                .map { place, key in Way(part: .key, rank: 1 + place) { $0.key = key } }
        },
        .payload(
            .keyIdMismatch,
            { "The payload carries the key id \($0.signed), not \($0.given)." },
            fix: "Put the key id that StoreKit is given into the payload."
        ) { situation in
            let ids = situation.keys.map(\.keyIdentifier)
            return .field(.keyIdentifier, ids.filter { $0 != situation.report.keyIdentifier })
        },
        .payload(
            .accountCase,
            { _ in "The payload has the account in another case." },
            fix: "Sign an appAccountToken in lowercase, and an applicationUsername exactly as the app sets it."
        ) { accountCases(of: $0.report.account) },
        timestampInSeconds, accountMissing, accountUnexpected, fieldUndefined,
        .payload(
            .wrongHash,
            { "The payload was hashed with \($0.payload.hash.rawValue), not with SHA-256 once." },
            fix: "Sign the payload's bytes with ECDSA and SHA-256, and leave the hashing to the function that signs."
        ) { _ in
            SignedHash.allCases.dropFirst().enumerated()
                .map { place, hash in Way(part: .hash, rank: 1 + place / 2) { $0.hash = hash } }
        },
        .payload(
            .wrongSeparator,
            { _ in "The payload's fields are not joined by U+2063." },
            fix: "Join the seven fields with the character U+2063 INVISIBLE SEPARATOR, in UTF-8 E2 81 A3."
        ) { _ in
            separators.enumerated()
                .map { place, text in Way(part: .separator, rank: 1 + place / 2) { $0.separator = text } }
        },
        .payload(
            .wrongSeparator,
            { _ in "The payload has a separator after its last field." },
            fix: "Put U+2063 between the seven fields, six times, and nothing after the timestamp."
        ) { _ in [Way(part: .separator, rank: 2) { $0.ending = $0.separator }] },
        .payload(
            .wrongFieldOrder,
            { _ in "The payload's fields are in another order, or one is left out." },
            fix: "Join bundle id, key id, product id, offer id, account, nonce and timestamp, in this order, an empty "
                + "account included."
        ) { _ in
            orders.enumerated().map { place, order in Way(part: .order, rank: 1 + place / 2) { $0.order = order } }
        },
        productMismatch, offerMismatch, bundleMismatch,
    ]

    static let timestampInSeconds = Mistake.payload(
        .timestampInSeconds,
        { _ in "The timestamp is in seconds." },
        fix: "Sign and hand on milliseconds since 1970, the same number in both places."
    ) { timestamps(of: $0.report) }

    static let accountMissing = Mistake.payload(
        .accountMissing,
        { "The payment has an account, and the payload's account is \($0.signed.placeholderPhrase)." },
        fix: "Sign the account that the app sets on the payment, or set none."
    ) { situation in
        guard situation.report.account != .none else { return [] }
        return .field(.account, [""]) + Way.placeholders(.account, empty: false)
    }

    static let accountUnexpected = Mistake.payload(
        .accountUnexpected,
        { "The payment has no account, and the payload's account is \($0.signed.placeholderPhrase)." },
        fix: "Leave the field empty between its two separators, or set the account on the payment."
    ) { situation in
        guard situation.report.account == .none else { return [] }
        return Way.placeholders(.account, empty: false) + .field(.account, ["(null)", "0", "\"\""], rank: 3)
    }

    static let fieldUndefined = Mistake.payload(
        .fieldUndefined,
        { seen in
            let name = seen.field.map { "\($0)" } ?? "field"
            let given = seen.given.isEmpty ? "empty" : seen.given
            return "The payload's \(name) is \(seen.signed.placeholderPhrase), not \(given)."
        },
        fix: "Read the field from the request before signing, and refuse a request that lacks it."
    ) { situation in
        PayloadGuess.Field.allCases.filter { $0 != .account }.flatMap { Way.placeholders($0) }
            + undefinedFields(in: situation)
    }

    static let productMismatch = Mistake.payload(
        .productMismatch,
        { "The payload is for the product \($0.signed), not for \($0.given)." },
        fix: "Sign the product that the payment buys."
    ) { situation in
        let productId = situation.report.productId
        let others = products(of: situation.app, nearest: productId).map(\.id).filter { $0 != productId }
        return .field(.productId, others) + otherOffers(in: situation)
    }

    static let offerMismatch = Mistake.payload(
        .offerMismatch,
        { "The payload is for the offer \($0.signed), not for \($0.given)." },
        fix: "Sign the offer whose identifier StoreKit is given."
    ) { situation in
        var known: Set<String> = [situation.report.offerId]
        let products = products(of: situation.app, nearest: situation.report.productId)
        let offers = products.flatMap(\.offers).map(\.id).filter { known.insert($0).inserted }
        return .field(.offerId, Array(offers.prefix(maximumCatalogEntries)))
    }

    static let bundleMismatch = Mistake.payload(
        .bundleMismatch,
        { "The payload has the bundle id \($0.signed), not \($0.given)." },
        fix: "Sign the bundle id of the app that buys, in its exact case, with a key of that app."
    ) { situation in
        let bundleId = situation.report.bundleId
        return .field(.bundleId, [bundleId.lowercased(), bundleId.uppercased()])
            + .field(.bundleId, Array(situation.otherBundleIds.prefix(maximumCatalogEntries)))
            + otherApps(in: situation)
    }
}

extension String {
    /// The words that languages write where there is nothing.
    static let placeholders: Set<String> = ["undefined", "null", "None", "nil", "(null)", ""]

    /// A text in place of nothing, for a sentence.
    var placeholderPhrase: String { isEmpty ? "empty" : "the word \(self)" }
}

extension [Mistake.Way] {
    /// One field with other texts.
    fileprivate static func field(_ field: PayloadGuess.Field, _ texts: [String], rank: Int = 1) -> [Mistake.Way] {
        Mistake.Way.field(field, texts, rank: rank)
    }
}
