/// One thing that can go wrong with a payload, in each way in which it can.
///
/// Two mistakes of one kind do not occur together; mistakes of different kinds do.
struct MistakeKind: Sendable {
    /// Makes the mistake in a guess; `nil` where it makes no difference.
    typealias Way = @Sendable (PayloadGuess) -> PayloadGuess?

    /// Each way, the likeliest first.
    let ways: [Way]
    /// Whether no way is likelier than another.
    let areAlike: Bool

    /// The place of ways that are alike, together: pairs with them are many, and each is unlikely.
    private static let placeOfAlike = 8

    /// Creates a kind.
    ///
    /// - Parameters:
    ///   - ways: Each way, the likeliest first.
    ///   - areAlike: Whether no way is likelier than another.
    init(ways: [Way], areAlike: Bool = false) {
        self.ways = ways
        self.areAlike = areAlike
    }

    /// The last place that has a way, from 1 on; 0 when there is none.
    var lastPlace: Int {
        guard areAlike else { return ways.count }
        return ways.isEmpty ? 0 : Self.placeOfAlike
    }

    /// The ways in a place, by how likely they are: one, or all that are alike.
    func ways(at place: Int) -> ArraySlice<Way> {
        guard areAlike else { return ways[(place - 1)..<place] }
        return place == Self.placeOfAlike ? ways[...] : []
    }

    /// The kind without the ways that make no difference in a guess.
    func changing(_ guess: PayloadGuess) -> MistakeKind {
        MistakeKind(ways: ways.filter { $0(guess) != nil }, areAlike: areAlike)
    }
}

extension MistakeKind {
    /// How many products and how many offers of a catalog are tried.
    static let maximumCatalogEntries = 500

    /// Every kind of mistake in the payload of a report, the likeliest first.
    ///
    /// - Parameters:
    ///   - report: What the app gave StoreKit.
    ///   - app: The app of the catalog.
    ///   - otherBundleIds: The caller's other apps.
    ///   - keys: The public halves of the app's keys.
    /// - Returns: The kinds; the first is that another key signed.
    static func all(
        in report: SignatureReport,
        of app: App,
        otherBundleIds: [String],
        keys: [any SignatureVerifier]
    ) -> [MistakeKind] {
        let products = products(of: app, nearest: report.productId)
        var known: Set<String> = []
        let offers = products.flatMap(\.offers).map(\.id).filter { known.insert($0).inserted }
        return [
            MistakeKind(
                ways: keys.filter { $0.keyIdentifier != report.keyIdentifier }.map { key in
                    { guess in
                        var guess = guess
                        guess.key = key
                        guess.mistakes.append(.wrongKey)
                        return guess
                    }
                }
            ),
            field(.nonce, [(report.nonce.uppercased(), .nonceUppercase), (report.nonce, .nonceUppercase)]),
            timestamps(of: report),
            field(.account, accounts(report.account)),
            separators,
            orders,
            field(.keyIdentifier, keys.map { ($0.keyIdentifier, .keyIdMismatch) }),
            field(
                .bundleId,
                [report.bundleId.lowercased(), report.bundleId.uppercased()].map { ($0, .bundleMismatch) }
                    + otherBundleIds.prefix(maximumCatalogEntries).map { ($0, .bundleMismatch) }
            ),
            field(.productId, products.map { ($0.id, .productMismatch) }),
            field(.offerId, offers.prefix(maximumCatalogEntries).map { ($0, .offerMismatch) }),
        ]
    }

    /// Whether so much of the catalog is tried that nothing of it is left out.
    static func takes(allOf app: App) -> Bool {
        app.offers.count <= maximumCatalogEntries
            && app.subscriptionGroups.reduce(0) { $0 + $1.products.count } <= maximumCatalogEntries
    }

    /// The catalog's products: that of the report first, so that its other offers are, then those of its group.
    static func products(of app: App, nearest productId: String) -> ArraySlice<Product> {
        let place = app.product(productId)
        let groups = app.subscriptionGroups
        let own = place.map { place in [place.product] + place.group.products.filter { $0.id != productId } } ?? []
        let others = groups.filter { $0.id != place?.group.id }.flatMap(\.products)
        return (own + others).prefix(maximumCatalogEntries)
    }

    private static func field(_ field: PayloadGuess.Field, _ texts: [(String, DiagnosisCode)]) -> MistakeKind {
        MistakeKind(ways: ways(field, texts))
    }

    private static func ways(_ field: PayloadGuess.Field, _ texts: [(String, DiagnosisCode)]) -> [Way] {
        texts.map { text, mistake in
            { guess in guess.fields[field.rawValue] == text ? nil : guess.with(field, text, mistake) }
        }
    }

    /// Seconds where milliseconds are due, and the reverse: what was given to StoreKit is in seconds then.
    private static func timestamps(of report: SignatureReport) -> MistakeKind {
        guard report.isInSeconds else {
            return field(.timestamp, [(String(report.timestamp / 1000), .timestampInSeconds)])
        }
        // The digits that were cut off can be found again: they are one of a thousand.
        let texts = (0..<1000).map { (String(report.timestamp &* 1000 &+ $0), DiagnosisCode.timestampInSeconds) }
        return MistakeKind(ways: ways(.timestamp, texts), areAlike: true)
    }

    private static func accounts(_ account: Account) -> [(String, DiagnosisCode)] {
        let text = account.payloadField
        guard account != .none else {
            // What languages write where there is nothing.
            return ["null", "undefined", "nil", "None", "(null)", "0", "\"\""].map { ($0, .accountUnexpected) }
        }
        return [("", .accountMissing), (text.uppercased(), .accountCase), (text.lowercased(), .accountCase)]
    }

    /// Another separator between the fields; or the right one after the last of them, too.
    private static let separators: MistakeKind = {
        let others: [Way] = [
            "\n", "", " ", "\\u2063", "|", ",", ";", ":", "-", "_", "\t", "\r\n", "/", ".", "&", "\\u{2063}", "\\n",
            "%E2%81%A3", "&#8291;", "&#x2063;", "\u{2060}", "\u{2061}", "\u{2062}", "\u{2064}", "\u{200B}", "\u{FEFF}",
            "\u{E2}\u{81}\u{A3}",
        ].map { separator in
            { guess in
                var guess = guess
                guess.separator = separator
                guess.mistakes.append(.wrongSeparator)
                return guess
            }
        }
        let ending: Way = { guess in
            var guess = guess
            guess.ending = guess.separator
            guess.mistakes.append(.wrongSeparator)
            return guess
        }
        return MistakeKind(ways: others + [ending])
    }()

    /// One field left out, or two neighbours swapped; then any two swapped, or one moved.
    private static let orders: MistakeKind = {
        let right = Array(0..<7)
        var orders: [[Int]] = []
        for first in right {
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
        return MistakeKind(
            ways: orders.filter { known.insert($0).inserted }.map { order in
                { guess in
                    var guess = guess
                    guess.order = order
                    guess.mistakes.append(.wrongFieldOrder)
                    return guess
                }
            }
        )
    }()
}

// The kinds of mistakes that are looked for alone: together with others they would be too many.

extension MistakeKind {
    /// Another product, with an offer of its own: two mistakes that go together.
    static func otherOffers(in report: SignatureReport, of app: App) -> MistakeKind {
        let offers = products(of: app, nearest: report.productId).flatMap { product in
            product.offers.map { OfferRequest(productId: product.id, offerId: $0.id) }
        }
        let others = offers.filter { $0.productId != report.productId && $0.offerId != report.offerId }
        return MistakeKind(
            ways: others.prefix(maximumCatalogEntries).map { offer in
                { guess in
                    guess.with(.productId, offer.productId, .productMismatch)
                        .with(.offerId, offer.offerId, .offerMismatch)
                }
            }
        )
    }

    /// A field that has nothing in it, or what languages write for that.
    static func placeholders(in report: SignatureReport) -> MistakeKind {
        // What may stand for no account is a kind of mistake by itself.
        let fields = PayloadGuess.Field.allCases.filter { $0 != .account || report.account != .none }
        return MistakeKind(
            ways: fields.flatMap { field in
                ["", "undefined", "null", "None", "nil"].map { word -> Way in
                    { $0.with(field, word, field == .account ? .accountMissing : .wrongFieldOrder) }
                }
            }
        )
    }

    /// A signature for another of the caller's apps, with a key of that app.
    ///
    /// - Parameters:
    ///   - report: What the app gave StoreKit.
    ///   - keys: The public halves of the keys, by bundle identifier.
    /// - Returns: The kind.
    static func otherApps(in report: SignatureReport, keys: [String: [any SignatureVerifier]]) -> MistakeKind {
        let apps = keys.sorted { $0.key < $1.key }
        let ways = apps.flatMap { bundleId, keys in
            keys.flatMap { key in
                [key.keyIdentifier, report.keyIdentifier].map { identifier -> Way in
                    { guess in
                        guard guess.key == nil else { return nil }
                        var guess = guess.with(.bundleId, bundleId, .bundleMismatch)
                        guess.fields[PayloadGuess.Field.keyIdentifier.rawValue] = identifier
                        guess.key = key
                        return guess
                    }
                }
            }
        }
        return MistakeKind(ways: Array(ways.prefix(maximumCatalogEntries)))
    }
}
