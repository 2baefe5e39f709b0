// The ways of mistakes that are more than a few texts.

extension Mistake {
    /// How many products and how many offers of a catalog are tried.
    static let maximumCatalogEntries = 500
    /// The rank of ways that are many and alike: pairs with them are many, and each is unlikely.
    static let rankOfMany = 8
    /// The most letters of a name that is tried in every mixture of cases: 64 mixtures.
    private static let mostLetters = 6

    /// Whether so much of the catalog is tried that nothing of it is left out.
    static func tries(allOf app: App) -> Bool {
        app.offers.count <= maximumCatalogEntries
            && app.subscriptionGroups.reduce(0) { $0 + $1.products.count } <= maximumCatalogEntries
    }

    /// The catalog's products: that of the report first, so that its other offers are, then those of its group.
    static func products(of app: App, nearest productId: String) -> [Product] {
        let place = app.product(productId)
        let groups = app.subscriptionGroups
        let own = place.map { place in [place.product] + place.group.products.filter { $0.id != productId } } ?? []
        let others = groups.filter { $0.id != place?.group.id }.flatMap(\.products)
        return Array((own + others).prefix(maximumCatalogEntries))
    }

    /// Seconds where milliseconds are due, and the reverse: what was given to StoreKit is in seconds then.
    static func timestamps(of report: SignatureReport) -> [Way] {
        guard report.isInSeconds else { return Way.field(.timestamp, [String(report.timestamp / 1000)]) }
        // The digits that were cut off are one of a thousand, which are tried with a nonce in upper case, too.
        let texts = (0..<1000).map { String(report.timestamp &* 1000 &+ $0) }
        return Way.field(.timestamp, texts, rank: 3, alike: true)
    }

    /// The account in another case; a name of few letters in every mixture.
    static func accountCases(of account: Account) -> [Way] {
        guard account != .none else { return [] }
        let text = account.payloadField
        let usual = Way.field(.account, [text.uppercased(), text.lowercased()], alike: true)
        guard case .applicationUsername(let name) = account else { return usual }
        let mixed = name.caseVariants(ofAtMost: mostLetters).map { variant in
            Way(
                part: .several,
                rank: rankOfMany,
                found: payloads.filter { $0.code == .accountCase }.map { Found(mistake: $0, field: .account) }
            ) { $0[.account] = variant }
        }
        return usual + mixed
    }

    /// What backends join the fields by, the likeliest first.
    static let separators = [
        "\n", "", "\\u2063", "|", ",", " ", ";", ":", "-", "_", "\t", "\r\n", "/", ".", "&", "\\u{2063}", "\\n",
        "%E2%81%A3", "&#8291;", "&#x2063;", "\u{2060}", "\u{2061}", "\u{2062}", "\u{2064}", "\u{200B}", "\u{FEFF}",
        "\u{E2}\u{81}\u{A3}",
    ]

    /// One field left out, or two neighbours swapped; then any two swapped, or one moved.
    static let orders: [[Int]] = {
        let right = Array(0..<7)
        var orders: [[Int]] = []
        // The account and the key id are forgotten the most, and the product is swapped with the offer.
        for first in [4, 2, 1, 3, 5, 0, 6] {
            orders.append(right.filter { $0 != first })
            guard first + 1 < right.count else { continue }
            var swapped = right
            swapped.swapAt(first, first + 1)
            orders.append(swapped)
        }
        for first in right {
            for second in right where second > first {
                var swapped = right
                swapped.swapAt(first, second)
                orders.append(swapped)
            }
            for place in right where place != first {
                var moved = right
                moved.remove(at: first)
                moved.insert(first, at: place)
                orders.append(moved)
            }
        }
        var known: Set<[Int]> = []
        return orders.filter { known.insert($0).inserted }
    }()

    /// Another product, with an offer of its own: two mistakes that go together.
    static func otherOffers(in situation: Situation) -> [Way] {
        let report = situation.report
        let offers = products(of: situation.app, nearest: report.productId).flatMap { product in
            product.offers.map { OfferRequest(productId: product.id, offerId: $0.id) }
        }
        let others = offers.filter { $0.productId != report.productId && $0.offerId != report.offerId }
        return others.prefix(maximumCatalogEntries).map { offer in
            Way(
                part: .several,
                rank: rankOfMany,
                found: [
                    Found(mistake: productMismatch, field: .productId), Found(mistake: offerMismatch, field: .offerId),
                ]
            ) {
                $0[.productId] = offer.productId
                $0[.offerId] = offer.offerId
            }
        }
    }

    /// A signature for another of the caller's apps, with a key of that app.
    static func otherApps(in situation: Situation) -> [Way] {
        let apps = situation.otherKeys.sorted { $0.key < $1.key }
        let ways = apps.flatMap { bundleId, keys in
            keys.flatMap { key in
                [key.keyIdentifier, situation.report.keyIdentifier].map { identifier in
                    Way(
                        part: .several,
                        rank: rankOfMany,
                        found: [Found(mistake: bundleMismatch, field: .bundleId)]
                    ) {
                        $0[.bundleId] = bundleId
                        $0[.keyIdentifier] = identifier
                        $0.key = key
                    }
                }
            }
        }
        return Array(ways.prefix(maximumCatalogEntries))
    }

    /// Two to four fields of a request that was not read: all have the same word, or nothing.
    static func undefinedFields(in situation: Situation) -> [Way] {
        let fields = PayloadGuess.Field.allCases
        var ways: [Way] = []
        for count in 2...4 {
            for choice in 0..<1 << fields.count where choice.nonzeroBitCount == count {
                let chosen = fields.filter { choice >> $0.rawValue & 1 == 1 }
                for word in ["undefined", "", "null", "None", "nil"] {
                    // An account that is not there is empty rightly.
                    if word.isEmpty, situation.report.account == .none, chosen.contains(.account) { continue }
                    let found = chosen.map { field in
                        let isMissing = field == .account && word.isEmpty
                        return Found(mistake: isMissing ? accountMissing : fieldUndefined, field: field)
                    }
                    let way = Way(part: .several, rank: rankOfMany, found: found) { guess in
                        for field in chosen { guess[field] = word }
                    }
                    ways.append(way)
                }
            }
        }
        return ways
    }
}
