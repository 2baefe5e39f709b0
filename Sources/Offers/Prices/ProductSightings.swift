/// What clients reported about one product in one country.
public struct ProductSightings: Sendable {
    /// How many offers of one product are kept: App Store Connect allows ten promotional ones at a time, and they change.
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
        prices.note(report.tag, at: moment)
        noteOffers(of: report, at: moment)
    }

    /// Whether the report's offers find room.
    ///
    /// - Parameter report: The report.
    /// - Returns: `false` when there would be more than ``mostOffers``.
    public func hasRoom(for report: ProductReport) -> Bool {
        offers.count + report.offers.count { offers[$0.name] == nil } <= Self.mostOffers
    }

    private mutating func noteOffers(of report: ProductReport, at moment: Timestamp) {
        for offer in report.offers where offers[offer.name]?.note(offer.terms, at: moment) == nil {
            offers[offer.name] = SightingLog(offer.terms, at: moment)
        }
    }
}
