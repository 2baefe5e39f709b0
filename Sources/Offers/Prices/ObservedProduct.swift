/// What clients reported about one product in one country.
package struct ObservedProduct: Sendable {
    /// How many offers of one product are kept: App Store Connect allows ten promotional ones at a time, and they change.
    ///
    /// Beyond it, those that were not seen for longest make room.
    package static let mostOffers = 25

    /// The product.
    package let productId: String
    /// Its prices.
    package private(set) var prices: ObservationLog<PriceTag>
    /// Its offers; one that a report leaves out stays.
    package private(set) var offers: [OfferName: ObservationLog<OfferTerms>] = [:]

    /// Starts with a first report.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - moment: When it came.
    package init(_ report: ProductReport, at moment: Timestamp) {
        productId = report.productId
        prices = ObservationLog(report.tag, at: moment)
        noteOffers(of: report, at: moment)
    }

    /// Takes up what was kept.
    ///
    /// - Parameters:
    ///   - productId: The product.
    ///   - prices: Its prices.
    ///   - offers: Its offers.
    package init(productId: String, prices: ObservationLog<PriceTag>, offers: [OfferName: ObservationLog<OfferTerms>]) {
        self.productId = productId
        self.prices = prices
        self.offers = offers
    }

    /// Notes another report.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - moment: When it came.
    package mutating func note(_ report: ProductReport, at moment: Timestamp) {
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

/// What clients reported about one thing, the newest first: a contradiction resolves to the newest, and the older values
/// are kept.
package struct ObservationLog<Value: Equatable & Sendable>: Sendable {
    /// One value with when and how often it was reported.
    package struct Observation: Sendable {
        /// The value.
        package let value: Value
        /// When it was first reported.
        package let firstSeen: Timestamp
        /// When it was last reported.
        package let lastSeen: Timestamp
        /// How often it was reported.
        package let count: Int

        /// Takes up an observation where it was kept.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - firstSeen: When it was first reported.
        ///   - lastSeen: When it was last reported.
        ///   - count: How often it was reported.
        package init(value: Value, firstSeen: Timestamp, lastSeen: Timestamp, count: Int) {
            self.value = value
            self.firstSeen = firstSeen
            self.lastSeen = lastSeen
            self.count = count
        }
    }

    /// How many older values are kept.
    package static var mostOlder: Int { 4 }

    /// The value that counts.
    package private(set) var newest: Observation
    /// Values that were reported before and contradict it, the newest first.
    package private(set) var older: [Observation] = []

    /// Starts with a first report.
    ///
    /// - Parameters:
    ///   - value: What was reported.
    ///   - moment: When.
    package init(_ value: Value, at moment: Timestamp) {
        newest = Observation(value: value, firstSeen: moment, lastSeen: moment, count: 1)
    }

    /// Takes up a log where it was kept.
    ///
    /// - Parameters:
    ///   - newest: The value that counts.
    ///   - older: Values that were reported before, the newest first; those beyond ``mostOlder`` are dropped.
    package init(newest: Observation, older: [Observation]) {
        self.newest = newest
        self.older = Array(older.prefix(Self.mostOlder))
    }

    /// Notes another report.
    ///
    /// - Parameters:
    ///   - value: What was reported.
    ///   - moment: When.
    package mutating func note(_ value: Value, at moment: Timestamp) {
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
