/// An app of the catalog: the offers that it sells, and whose purchases count.
///
/// A reference, as the catalog's other parts are: each request hands it on many times, and nobody changes it.
package final class App: Sendable {
    package let bundleId: String
    /// The environments whose evidence counts.
    package let environments: Set<AppStoreEnvironment>
    /// Whether a request must name the account that it asks for.
    package let requiresAccount: Bool
    /// The text that ends the customer's part of an `applicationUsername`; `nil` if all of it names the customer.
    package let customerSeparator: CustomerSeparator?
    /// The number of accounts for which one original transaction may be presented within
    /// ``EvidenceSharing/periodDays``, the account inside the evidence not counted.
    package let maximumAccountsPerTransaction: Int
    /// In the catalog's order, as all lists of the catalog.
    package let subscriptionGroups: [SubscriptionGroup]
    /// Every offer of the app.
    package let offers: [OfferRequest]

    private let places: [String: Place]

    private struct Place: Equatable {
        let group: Int
        let product: Int
    }

    /// A product that two groups claim belongs to the first.
    package init(
        bundleId: String,
        environments: Set<AppStoreEnvironment> = [.production],
        requiresAccount: Bool = false,
        customerSeparator: CustomerSeparator? = nil,
        maximumAccountsPerTransaction: Int = EvidenceSharing.defaultMaximumAccounts,
        subscriptionGroups: [SubscriptionGroup]
    ) {
        self.bundleId = bundleId
        self.environments = environments
        self.requiresAccount = requiresAccount
        self.customerSeparator = customerSeparator
        self.maximumAccountsPerTransaction = maximumAccountsPerTransaction
        self.subscriptionGroups = subscriptionGroups
        var places: [String: Place] = [:]
        for (groupIndex, group) in subscriptionGroups.enumerated() {
            for (productIndex, product) in group.products.enumerated() where places[product.id] == nil {
                places[product.id] = Place(group: groupIndex, product: productIndex)
            }
        }
        self.places = places
        offers = subscriptionGroups.flatMap { group in
            group.products.flatMap { product in
                product.offers.map { OfferRequest(productId: product.id, offerId: $0.id) }
            }
        }
    }

    /// Whether any offer has a rule that reads the running period.
    package var readsRunningPeriods: Bool {
        offers { $0.duringTrial == .refuse || $0.fromProducts != nil || $0.storefronts != nil }
    }

    /// Whether any offer is for customers of some storefronts alone.
    package var asksForStorefronts: Bool { offers { $0.storefronts != nil } }

    /// Whether any offer has terms that hold something.
    func offers(_ hold: (PromotionalOffer.Terms) -> Bool) -> Bool {
        subscriptionGroups.contains { $0.products.contains { $0.offers.contains { hold($0.terms) } } }
    }

    /// Whether any offer has a limit of redemptions.
    package var countsRedemptions: Bool {
        offers { $0.maxRedemptions != nil }
    }

    /// In the catalog's order.
    package func groups(ofProducts productIds: Set<String>) -> [SubscriptionGroup] {
        let ids = Set(productIds.compactMap { product($0)?.group.id })
        return subscriptionGroups.filter { ids.contains($0.id) }
    }

    /// The product with its group; `nil` when the catalog does not have it.
    ///
    /// The time this takes does not grow with the catalog.
    package func product(_ productId: String) -> (product: Product, group: SubscriptionGroup)? {
        guard let place = places[productId] else { return nil }
        let group = subscriptionGroups[place.group]
        let product = group.products[place.product]
        return product.id.hasSameBytes(as: productId) ? (product, group) : nil
    }
}

extension App: Equatable {
    package static func == (left: App, right: App) -> Bool {
        left.bundleId == right.bundleId && left.environments == right.environments
            && left.requiresAccount == right.requiresAccount && left.customerSeparator == right.customerSeparator
            && left.maximumAccountsPerTransaction == right.maximumAccountsPerTransaction
            && left.subscriptionGroups == right.subscriptionGroups
    }
}

/// The environment of a purchase, by `environment` of Apple's answers and signed data.
package enum AppStoreEnvironment: String, CaseIterable, Sendable {
    case production = "Production"
    /// The sandbox, which TestFlight and App Review use too.
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode: signed by Xcode, not by Apple.
    case xcode = "Xcode"
    /// Local StoreKit testing outside Xcode: not signed by Apple either.
    case localTesting = "LocalTesting"
}
