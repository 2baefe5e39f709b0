/// Clients' reports about one product in one country.
package struct ObservedProduct: Sendable {
    /// The limit of offers of one product: App Store Connect allows ten promotional ones at a time, and they change.
    ///
    /// Beyond it, those that were not seen for longest make room.
    package static let mostOffers = 25

    package let productId: String
    package private(set) var prices: ObservationLog<PriceTag>
    /// An offer that a report leaves out stays.
    package private(set) var offers: [OfferName: ObservationLog<ObservedTerms>] = [:]

    package init(_ report: ProductReport, at moment: Timestamp) {
        productId = report.productId
        prices = ObservationLog(report.tag, at: moment)
        recordOffers(of: report, at: moment)
    }

    package init(
        productId: String,
        prices: ObservationLog<PriceTag>,
        offers: [OfferName: ObservationLog<ObservedTerms>]
    ) {
        self.productId = productId
        self.prices = prices
        self.offers = offers
    }

    package mutating func record(_ report: ProductReport, at moment: Timestamp) {
        prices.record(completed(report.tag), at: moment)
        recordOffers(of: report, at: moment)
    }

    /// The price tag, with the known symbol of its currency where the client does not say.
    private func completed(_ tag: PriceTag) -> PriceTag {
        guard tag.symbol == nil else { return tag }
        let known = ([prices.newest] + prices.older).map(\.value).first {
            $0.currency == tag.currency && $0.symbol != nil
        }
        return PriceTag(price: tag.price, currency: tag.currency, symbol: known?.symbol)
    }

    private mutating func recordOffers(of report: ProductReport, at moment: Timestamp) {
        for offer in report.offers where offers[offer.name]?.record(offer.terms, at: moment) == nil {
            offers[offer.name] = ObservationLog(offer.terms, at: moment)
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

/// Clients' reports about one thing: of contradicting values the newest counts, and the older ones are kept.
package struct ObservationLog<Value: Equatable & Sendable>: Sendable {
    /// One value, with its first and last report.
    package struct Observation: Sendable {
        package let value: Value
        package let firstSeen: Timestamp
        package let lastSeen: Timestamp
        /// How often it was reported.
        package let count: Int

        package init(value: Value, firstSeen: Timestamp, lastSeen: Timestamp, count: Int) {
            self.value = value
            self.firstSeen = firstSeen
            self.lastSeen = lastSeen
            self.count = count
        }
    }

    package static var mostOlder: Int { 4 }

    /// The value that counts.
    package private(set) var newest: Observation
    /// Values that were reported before and contradict it, the newest first.
    package private(set) var older: [Observation] = []

    package init(_ value: Value, at moment: Timestamp) {
        newest = Observation(value: value, firstSeen: moment, lastSeen: moment, count: 1)
    }

    /// Values beyond ``mostOlder`` are dropped.
    package init(newest: Observation, older: [Observation]) {
        self.newest = newest
        self.older = Array(older.prefix(Self.mostOlder))
    }

    package mutating func record(_ value: Value, at moment: Timestamp) {
        let known = [newest] + older
        let before = known.first { $0.value == value }
        var count = 1
        count.add(saturating: before?.count ?? 0)
        let observation = Observation(
            value: value,
            firstSeen: before?.firstSeen ?? moment,
            lastSeen: max(before?.lastSeen ?? moment, moment),
            count: count
        )
        newest = observation
        older = Array(known.filter { $0.value != value }.prefix(Self.mostOlder))
    }
}
