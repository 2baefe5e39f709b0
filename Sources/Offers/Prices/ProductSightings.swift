/// What clients reported about one product in one country.
public struct ProductSightings: Sendable {
    /// How many offers of one product are kept: App Store Connect allows ten promotional ones at a time, and they change.
    ///
    /// Beyond it, those that were not seen for longest make room.
    public static let mostOffers = 25

    /// The product.
    public let productId: String
    /// Its prices.
    public private(set) var prices: SightingLog<PriceTag>
    /// Its offers; one that a report leaves out stays.
    public private(set) var offers: [OfferName: SightingLog<OfferTerms>] = [:]

    /// Starts with a first report.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - moment: When it came.
    public init(_ report: ProductReport, at moment: Timestamp) {
        productId = report.productId
        prices = SightingLog(report.tag, at: moment)
        noteOffers(of: report, at: moment)
    }

    /// Takes up what was kept.
    ///
    /// - Parameters:
    ///   - productId: The product.
    ///   - prices: Its prices.
    ///   - offers: Its offers.
    public init(productId: String, prices: SightingLog<PriceTag>, offers: [OfferName: SightingLog<OfferTerms>]) {
        self.productId = productId
        self.prices = prices
        self.offers = offers
    }

    /// Notes another report.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - moment: When it came.
    public mutating func note(_ report: ProductReport, at moment: Timestamp) {
        prices.note(completed(report.tag), at: moment)
        noteOffers(of: report, at: moment)
    }

    /// The price tag, with the symbol that is known of its currency where the client does not say.
    private func completed(_ tag: PriceTag) -> PriceTag {
        guard tag.symbol == nil else { return tag }
        let known = ([prices.newest] + prices.older).map(\.value).first {
            $0.currency == tag.currency && $0.symbol != nil
        }
        return PriceTag(price: tag.price, currency: tag.currency, symbol: known?.symbol)
    }

    private mutating func noteOffers(of report: ProductReport, at moment: Timestamp) {
        for offer in report.offers where offers[offer.name]?.note(offer.terms, at: moment) == nil {
            offers[offer.name] = SightingLog(offer.terms, at: moment)
        }
        guard offers.count > Self.mostOffers else { return }
        let reported = Set(report.offers.map(\.name))
        let oldestFirst = offers.filter { !reported.contains($0.key) }.sorted { left, right in
            let (leftSeen, rightSeen) = (left.value.newest.lastSeen, right.value.newest.lastSeen)
            return leftSeen == rightSeen
                ? (left.key.offerId ?? "") < (right.key.offerId ?? "") : leftSeen < rightSeen
        }
        for (name, _) in oldestFirst.prefix(offers.count - Self.mostOffers) { offers[name] = nil }
    }
}
