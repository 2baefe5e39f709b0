/// An auto-renewable subscription with its promotional offers.
public final class Product: Sendable {
    /// The product identifier in App Store Connect.
    public let id: String
    /// How long one billing period lasts; `nil` when the catalog does not say.
    public let period: SubscriptionPeriod?
    /// The product's level in its group as App Store Connect ranks them, 1 the highest; `nil` when the catalog does not
    /// say.
    public let level: Int?
    /// The offers of this product, in the catalog's order.
    public let offers: [PromotionalOffer]
    /// The win-back offers of this product of which the catalog has the link.
    public let winBackOffers: [WinBackOffer]

    private let positions: [String: Int]

    /// Creates a product.
    ///
    /// Of two offers with the same identifier the first is found.
    ///
    /// - Parameters:
    ///   - id: The product identifier in App Store Connect.
    ///   - period: How long one billing period lasts.
    ///   - level: The product's level in its group, 1 the highest.
    ///   - offers: Its promotional offers.
    ///   - winBackOffers: Its win-back offers.
    public init(
        id: String,
        period: SubscriptionPeriod? = nil,
        level: Int? = nil,
        offers: [PromotionalOffer] = [],
        winBackOffers: [WinBackOffer] = []
    ) {
        self.id = id
        self.period = period
        self.level = level
        self.offers = offers
        self.winBackOffers = winBackOffers
        self.positions = Dictionary(offers.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The offer with that identifier, compared byte for byte as StoreKit does; `nil` when the product has none.
    ///
    /// - Parameter offerId: The offer's identifier.
    /// - Returns: The offer.
    public func offer(_ offerId: String) -> PromotionalOffer? {
        guard let offer = positions[offerId].map({ offers[$0] }), offer.id.hasSameBytes(as: offerId) else { return nil }
        return offer
    }
}

extension Product: Equatable {
    /// Whether two say the same.
    public static func == (left: Product, right: Product) -> Bool {
        left.id == right.id && left.period == right.period
            && left.level == right.level && left.offers == right.offers && left.winBackOffers == right.winBackOffers
    }
}
