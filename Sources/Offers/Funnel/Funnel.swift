/// The progress of customers with each offer: asked, eligible, signed, redeemed, paid; and why others were refused.
package struct Funnel: Equatable, Sendable {
    /// One price that customers paid for an offer.
    package struct Payment: Equatable, Sendable {
        package let price: PaidPrice
        /// How many redemptions were paid so.
        package let redemptions: Int
        /// Whether clients' reports of the storefront say the price, where Apple did not.
        package let isReported: Bool
    }

    /// Decisions of one call.
    package struct Decided: Equatable, Sendable {
        package internal(set) var asked = 0
        package internal(set) var eligible = 0
        /// The others by reason.
        package internal(set) var refusals: [Reason: Int] = [:]
    }

    /// The progress with one offer.
    package struct Line: Equatable, Sendable {
        /// ``CountedDecision/unlisted`` stands for all offers that the catalog does not have.
        package let offer: FunnelFigures.Offer
        /// Decisions of calls for signatures.
        package internal(set) var signatures = Decided()
        /// Decisions of calls for eligibility alone.
        package internal(set) var eligibility = Decided()
        /// Decisions about customers who were about to cancel.
        package internal(set) var retention = Decided()
        package internal(set) var signed = 0
        package internal(set) var redeemed = 0
        /// The redemptions by signatures of this ledger.
        package internal(set) var redeemedBySignature = 0
        /// Redemptions of retention offers that Apple gave itself: no rule, limit or holdout was asked.
        package internal(set) var givenByApple = 0
        /// The most frequent first.
        package internal(set) var payments: [Payment] = []
        /// Redemptions without a known price.
        package internal(set) var unpriced = 0
    }

    /// App by app, the offers of the catalog in its order, and then others that are on record.
    package let lines: [Line]

    /// Lists the catalog's offers in any case; `reportedPrice` is `nil` without clients' reports of the storefront.
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
            if redemptions.isGivenByApple {
                line.givenByApple.add(saturating: count)
                lines[offer] = line
                continue
            }
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

    /// The most frequent first.
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

/// Whole days in UTC, as decisions are counted by day.
package struct FunnelPeriod: Equatable, Sendable {
    /// `nil` for the beginning of all records.
    package let start: Timestamp?
    /// The end of the last day; `nil` for now and later.
    package let end: Timestamp?

    private static let dayMilliseconds: Int64 = 86_400_000

    /// Takes every day with a moment of the period, which ends before `until`.
    package init(since: Timestamp?, until: Timestamp?) {
        start = since.map { Self.timestamp(day: Self.day(of: $0)) }
        end = until.map { until in
            let day = Self.day(of: until)
            return Self.timestamp(day: Self.timestamp(day: day) == until ? day : day + 1)
        }
    }

    /// Counted from 1970-01-01 on.
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
    func count(_ decision: CountedDecision)
}
