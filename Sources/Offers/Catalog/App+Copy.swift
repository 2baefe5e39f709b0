// An app that several processors use at once is slow: a reference count is written whenever somebody takes hold of what it
// counts, and a word that several processors write to travels between their caches. So each event loop has copies of the
// catalog that share no counted memory: neither objects, nor arrays and sets, nor texts longer than 15 bytes.

extension App {
    /// A copy that shares no memory with this one, but for the customer pattern.
    ///
    /// - Returns: The copy.
    public func copy() -> App {
        App(
            bundleId: bundleId.copy(),
            environments: Set(Array(environments)),
            requiresAccount: requiresAccount,
            customerPattern: customerPattern,
            maximumAccountsPerTransaction: maximumAccountsPerTransaction,
            subscriptionGroups: subscriptionGroups.map { $0.copy() }
        )
    }
}

extension SubscriptionGroup {
    fileprivate func copy() -> SubscriptionGroup {
        SubscriptionGroup(id: id.copy(), products: products.map { $0.copy() })
    }
}

extension Product {
    fileprivate func copy() -> Product {
        Product(
            id: id.copy(),
            period: period,
            level: level,
            offers: offers.map { $0.copy() },
            winBackOffers: winBackOffers.map { WinBackOffer(id: $0.id.copy(), url: $0.url?.copy()) }
        )
    }
}

extension PromotionalOffer {
    fileprivate func copy() -> PromotionalOffer {
        PromotionalOffer(
            id: id.copy(),
            audience: Set(Array(audience)),
            startsAt: startsAt,
            endsAt: endsAt,
            maxRedemptions: maxRedemptions,
            signatureLimit: signatureLimit,
            scope: scope,
            fromProducts: fromProducts.map { Set($0.map { $0.copy() }) },
            minimumLapsedDays: minimumLapsedDays,
            maximumLapsedDays: maximumLapsedDays,
            afterRefund: afterRefund,
            familyShared: familyShared
        )
    }
}

extension String {
    /// A copy that shares no memory with this one.
    ///
    /// - Returns: The copy.
    public func copy() -> String { String(decoding: Array(utf8), as: UTF8.self) }
}
