// The kinds of mistakes that are looked for alone: together with others they would be too many.

extension MistakeKind {
    /// Another product, with an offer of its own: two mistakes that go together.
    ///
    /// - Parameters:
    ///   - report: What the app gave StoreKit.
    ///   - app: The app of the catalog.
    /// - Returns: The kind.
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
    ///
    /// - Parameter report: What the app gave StoreKit.
    /// - Returns: The kind.
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

    /// What was signed for another of the caller's apps, with a key of that app.
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
