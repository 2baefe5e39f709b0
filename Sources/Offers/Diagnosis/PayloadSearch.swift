/// Looks for the one mistake with which a discount's signature is by one of the app's keys, by making each mistake in turn.
///
/// A habit that spoils several fields in one way is one mistake.
struct PayloadSearch: Sendable {
    let report: SignatureReport
    let keys: [any SignatureVerifier]
    let others: [DiagnosableApp]
    /// The catalog's products: that of the report first, then those of its group.
    let products: [Product]

    /// The most products, and the most offers, that are tried.
    private static let maximumCatalogEntries = 500

    /// A quarter of a second: each takes a twentieth of a millisecond or little more.
    static let maximumTries = 4000

    var productIds: [String] { products.prefix(Self.maximumCatalogEntries).map(\.id) }
    var offerIds: [String] { Array(products.flatMap(\.offers).prefix(Self.maximumCatalogEntries).map(\.id)) }

    /// A payload that may have been signed, and how.
    struct Guess {
        let payload: [UInt8]
        let key: any SignatureVerifier
        let signer: Signer
    }

    /// `nil` where no guess fits, or nobody waits for it any more.
    func found(for signature: SignatureText.Form) -> Guess? {
        guesses.prefix(Self.maximumTries).first { guess in
            !Task.isCancelled && guess.key.isSignature(signature, over: guess.payload, hashedBy: guess.signer.hash)
        }
    }

    /// One mistake each, by the named key but where it is the mistake.
    var guesses: [Guess] {
        let right = report.fields
        var guesses: [Guess] = []
        func add(
            _ fields: [String],
            separator: String = PayloadField.separator,
            ending: String = "",
            by signers: [any SignatureVerifier],
            of bundleId: String? = nil,
            hash: SignedHash = .sha256
        ) {
            let payload = Array((fields.joined(separator: separator) + ending).utf8)
            guesses += signers.map { key in
                let signer = Signer(keyIdentifier: key.keyIdentifier, hash: hash, bundleId: bundleId)
                return Guess(payload: payload, key: key, signer: signer)
            }
        }
        func with(_ changes: (PayloadField, String)...) -> [String] {
            changes.reduce(into: right) { $0[$1.0.rawValue] = $1.1 }
        }
        let named = keys.filter { $0.keyIdentifier == report.keyIdentifier }
        for key in keys where key.keyIdentifier != report.keyIdentifier {
            add(right, by: [key])
            add(with((.keyIdentifier, key.keyIdentifier)), by: [key])
        }
        for hash in SignedHash.allCases.dropFirst() { add(right, by: named, hash: hash) }
        for separator in Self.separators { add(right, separator: separator, by: named) }
        add(right, ending: PayloadField.separator, by: named)
        for order in Self.orders { add(order.map { right[$0] }, by: named) }
        for mistake in PayloadMistake.table {
            for field in PayloadField.allCases where mistake.fields.contains(field) {
                var known: Set<String> = [right[field.rawValue]]
                for text in mistake.texts(self, field) where known.insert(text).inserted {
                    add(with((field, text)), by: named)
                }
            }
        }
        for fields in habits(right) { add(fields, by: named) }
        for other in others {
            let bundleId = other.app.bundleId
            for key in other.verifiers {
                for id in [key.keyIdentifier, report.keyIdentifier] {
                    add(with((.bundleId, bundleId), (.keyIdentifier, id)), by: [key], of: bundleId)
                }
            }
        }
        // Another product's offer as a whole, such as that of another decision of one answer.
        for product in products.prefix(Self.maximumCatalogEntries) where product.id != report.productId {
            for offer in product.offers where offer.id != report.offerId {
                add(with((.productId, product.id), (.offerId, offer.id)), by: named)
            }
        }
        return guesses
    }

    /// The fields as habits spoil several of them: UUIDs in upper case, all in lower or upper case.
    private func habits(_ right: [String]) -> [[String]] {
        var uuids = right
        for field in [PayloadField.account, .nonce] { uuids[field.rawValue] = uuids[field.rawValue].uppercased() }
        return [uuids, right.map { $0.lowercased() }, right.map { $0.uppercased() }]
    }

    /// The separators of backends, the likeliest first.
    private static let separators = [
        "\n", "", "\\u2063", "|", ",", " ", ";", ":", "-", "_", "\t", "\r\n", "/", ".", "&", "\\u{2063}", "\\n",
        "%E2%81%A3", "&#8291;", "&#x2063;", "\u{2060}", "\u{2061}", "\u{2062}", "\u{2064}", "\u{200B}", "\u{FEFF}",
        "\u{E2}\u{81}\u{A3}",
    ]

    /// Apple's order with one field left out, moved to another place, or swapped with another.
    private static let orders: [[Int]] = {
        let right = Array(0..<7)
        var orders = right.map { left in right.filter { $0 != left } }
        for first in right {
            for second in right where second != first {
                var swapped = right
                swapped.swapAt(first, second)
                var moved = right.filter { $0 != first }
                moved.insert(first, at: second)
                orders += [swapped, moved]
            }
        }
        return orders
    }()
}

extension App {
    /// A named one first, then those of its group.
    func products(nearest productId: String) -> [Product] {
        let place = product(productId)
        let group = place.map { place in [place.product] + place.group.products.filter { $0.id != productId } } ?? []
        return group + subscriptionGroups.filter { $0.id != place?.group.id }.flatMap(\.products)
    }
}
