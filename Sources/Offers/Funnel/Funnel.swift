/// How far customers came with each offer: asked, eligible, signed, redeemed, paid; and why others were refused.
package struct Funnel: Equatable, Sendable {
    /// One price that customers paid for an offer.
    package struct Payment: Equatable, Sendable {
        /// What each of them paid.
        package let price: PaidPrice
        /// How many redemptions were paid so.
        package let redemptions: Int
        /// Whether clients' reports of the storefront say it, where Apple did not.
        package let isReported: Bool
    }

    /// Decisions of one call.
    package struct Decided: Equatable, Sendable {
        /// How many there were.
        package internal(set) var asked = 0
        /// How many of them were eligible.
        package internal(set) var eligible = 0
        /// The others by reason.
        package internal(set) var refusals: [Reason: Int] = [:]
    }

    /// What became of one offer.
    package struct Line: Equatable, Sendable {
        /// The offer; ``CountedDecision/unlisted`` stands for all that the catalog does not have.
        package let offer: FunnelFigures.Offer
        /// The decisions of calls for signatures.
        package internal(set) var signatures = Decided()
        /// The decisions of calls for eligibility alone.
        package internal(set) var eligibility = Decided()
        /// The decisions about customers who were about to cancel.
        package internal(set) var retention = Decided()
        /// How many signatures were made.
        package internal(set) var signed = 0
        /// How many redemptions there were.
        package internal(set) var redeemed = 0
        /// How many of them by signatures of this ledger.
        package internal(set) var redeemedBySignature = 0
        /// The prices paid for redemptions, the most frequent first.
        package internal(set) var payments: [Payment] = []
        /// How many redemptions nobody knows the price of.
        package internal(set) var unpriced = 0
    }

    /// App by app, the offers of the catalog in its order, and then others that are on record.
    package let lines: [Line]

    /// Makes a funnel.
    ///
    /// - Parameters:
    ///   - figures: What is on record.
    ///   - catalog: The offers that are listed in any case, in their order.
    ///   - reportedPrice: What clients' reports of a storefront say that an offer costs; `nil` where there are none.
    package init(
        _ figures: FunnelFigures,
        catalog: [FunnelFigures.Offer],
        reportedPrice: (_ offer: FunnelFigures.Offer, _ storefront: String) -> PaidPrice?
    ) {
        var lines: [FunnelFigures.Offer: Line] = [:]
        for offer in catalog { lines[offer] = Line(offer: offer) }
        for (decisions, count) in figures.decisions {
            lines[decisions.offer, default: Line(offer: decisions.offer)].add(decisions, count)
        }
        for (offer, count) in figures.signatures {
            lines[offer, default: Line(offer: offer)].signed.add(saturating: count)
        }
        var paid: [FunnelFigures.Offer: [PaidKey: Int]] = [:]
        for (redemptions, count) in figures.redemptions {
            let offer = redemptions.offer
            var line = lines[offer] ?? Line(offer: offer)
            line.redeemed.add(saturating: count)
            if redemptions.isSignedHere { line.redeemedBySignature.add(saturating: count) }
            if let price = redemptions.price {
                paid[offer, default: [:]][PaidKey(price: price, isReported: false), default: 0].add(saturating: count)
            } else if let storefront = redemptions.storefront, let price = reportedPrice(offer, storefront) {
                paid[offer, default: [:]][PaidKey(price: price, isReported: true), default: 0].add(saturating: count)
            } else {
                line.unpriced.add(saturating: count)
            }
            lines[offer] = line
        }
        for (offer, prices) in paid {
            lines[offer]?.payments = prices.map { key, count in
                Payment(price: key.price, redemptions: count, isReported: key.isReported)
            }.sorted(by: Payment.isMoreFrequent)
        }
        let listed = Set(catalog)
        let all = catalog + lines.keys.filter { !listed.contains($0) }.sorted(by: Self.isBefore)
        var apps: [String] = []
        for offer in all where !apps.contains(offer.bundleId) { apps.append(offer.bundleId) }
        self.lines = apps.flatMap { app in
            all.filter { $0.bundleId == app }.compactMap { lines.removeValue(forKey: $0) }
        }
    }

    private struct PaidKey: Hashable {
        let price: PaidPrice
        let isReported: Bool
    }

    private static func isBefore(_ left: FunnelFigures.Offer, _ right: FunnelFigures.Offer) -> Bool {
        // Offers that the catalog does not have come last.
        let leftIsLast = left.request == CountedDecision.unlisted
        let rightIsLast = right.request == CountedDecision.unlisted
        guard leftIsLast == rightIsLast else { return rightIsLast }
        return (left.bundleId, left.request.productId, left.request.offerId)
            < (right.bundleId, right.request.productId, right.request.offerId)
    }
}

extension Funnel.Line {
    fileprivate mutating func add(_ decisions: FunnelFigures.Decisions, _ count: Int) {
        switch decisions.call {
        case .signatures: signatures.add(decisions.reason, count)
        case .eligibility: eligibility.add(decisions.reason, count)
        case .retention: retention.add(decisions.reason, count)
        }
    }
}

extension Funnel.Decided {
    fileprivate mutating func add(_ reason: Reason, _ count: Int) {
        asked.add(saturating: count)
        if reason.verdict == .eligible {
            eligible.add(saturating: count)
        } else {
            refusals[reason, default: 0].add(saturating: count)
        }
    }

    /// The refusals, the most frequent first.
    package var refusalsByCount: [(reason: Reason, count: Int)] {
        refusals.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .map { (reason: $0.key, count: $0.value) }
    }
}

extension Funnel.Payment {
    fileprivate static func isMoreFrequent(_ left: Funnel.Payment, _ right: Funnel.Payment) -> Bool {
        (right.redemptions, left.price.currency, left.price.milliunits, left.isReported ? 1 : 0)
            < (left.redemptions, right.price.currency, right.price.milliunits, right.isReported ? 1 : 0)
    }
}

/// The days of a funnel: whole days in UTC, as decisions are counted by day.
package struct FunnelPeriod: Equatable, Sendable {
    /// The start of the first day; `nil` for the beginning of all records.
    package let start: Timestamp?
    /// The end of the last day; `nil` for now and later.
    package let end: Timestamp?

    /// How many milliseconds a day has.
    private static let dayMilliseconds: Int64 = 86_400_000

    /// Takes every day that has a moment of a period.
    ///
    /// - Parameters:
    ///   - since: The first moment; `nil` for the beginning of all records.
    ///   - until: The moment before which it ends; `nil` for no end.
    package init(since: Timestamp?, until: Timestamp?) {
        start = since.map { Self.timestamp(day: Self.day(of: $0)) }
        end = until.map { until in
            let day = Self.day(of: until)
            return Self.timestamp(day: Self.timestamp(day: day) == until ? day : day + 1)
        }
    }

    /// The day of a moment, counted from 1970-01-01 on.
    ///
    /// - Parameter moment: The moment.
    /// - Returns: The day's number.
    package static func day(of moment: Timestamp) -> Int64 {
        let (days, rest) = moment.millisecondsSince1970.quotientAndRemainder(dividingBy: dayMilliseconds)
        return rest < 0 ? days - 1 : days
    }

    private static func timestamp(day: Int64) -> Timestamp {
        let (milliseconds, overflow) = day.multipliedReportingOverflow(by: dayMilliseconds)
        return Timestamp(millisecondsSince1970: overflow ? (day < 0 ? .min : .max) : milliseconds)
    }
}

/// Counts decisions about offers: plain synchronous calls, which never wait.
package protocol OfferTally: Sendable {
    /// Counts a decision.
    ///
    /// - Parameter decision: The decision.
    func count(_ decision: CountedDecision)
}
