import OfferAPI
import Offers
import Storage
import StrictJSON

/// All that is stored of one customer, for a person and for programs.
struct CustomerReport {
    /// How many signatures a customer has of an offer's limit, and when the next one is free.
    struct Limit {
        let offer: OfferRequest
        let limit: SignatureLimit
        let count: Int
        /// `nil` where one is free now.
        let freeAt: Timestamp?

        /// Takes the count of the ledger, which knows of redemptions without a signature, too.
        init(
            _ offer: OfferRequest,
            _ limit: SignatureLimit,
            _ count: Int,
            _ holdings: CustomerHoldings,
            of customers: Set<[UInt8]>,
            at now: Timestamp
        ) {
            self.offer = offer
            self.limit = limit
            self.count = count
            let start = limit.start(at: now)
            let signed = holdings.signatures.map(\.record).filter {
                $0.productId == offer.productId && $0.offerId == offer.offerId && customers.contains($0.customer)
            }.map(\.time)
            let unsigned = holdings.redemptions.filter {
                $0.redemption.productId == offer.productId && $0.redemption.offerId == offer.offerId && $0.nonce == nil
            }.compactMap(\.redemption.redeemedAt)
            let times = (signed + unsigned).filter { $0 > start }.sorted()
            let over = count - limit.maximumSignaturesPerCustomer
            freeAt = over >= 0 && over < times.count ? times[over].adding(days: limit.periodDays) : nil
        }
    }

    fileprivate struct Subscription {
        let identity: SubscriptionIdentity
        let productId: String?
        let state: String
        let endsAt: Timestamp?
        let renews: Bool?
        let asOf: Timestamp?
        let toldBy: String
    }

    private let customer: StoredCustomer
    private let holdings: CustomerHoldings
    private let subscriptions: [Subscription]
    private let limits: [Limit]
    private let stays: [String]

    init(
        of customer: StoredCustomer,
        in app: App,
        _ holdings: CustomerHoldings,
        limits: [Limit],
        stays: [String],
        now: Timestamp
    ) {
        self.customer = customer
        self.holdings = holdings
        self.limits = limits
        let erased = holdings.erasures.map { "Erased on \($0.time.rfc3339): \($0.rows.of("row"))." }
        self.stays = stays + erased
        subscriptions = holdings.book.chapters.sorted { $0.identity.isBefore($1.identity) }.map { chapter in
            let read = chapter.subscription(of: app, at: now)
            let isKnown = read?.certainty == .known && read?.alternative == nil && chapter.hasState
            return Subscription(
                identity: chapter.identity,
                productId: read?.productId,
                state: isKnown ? read?.state.rawValue ?? "unknown" : "unknown",
                endsAt: read?.endsAt,
                renews: read?.renewal.autoRenewStatus,
                asOf: chapter.asOf,
                toldBy: chapter.hasState ? chapter.confirmed == nil ? "signedTransactions" : "apple" : "receiptResponse"
            )
        }
    }

    var json: String {
        var writer = JSONWriter(capacity: 4096)
        writer.object { report in
            report.member("customer", Hexadecimal.text(customer.customer.bytes))
            report.objects("signatures", holdings.signatures) { $1.members(of: $0) }
            report.objects("limits", limits) { limit, json in
                json.member("productId", limit.offer.productId)
                json.member("offerId", limit.offer.offerId)
                json.member("signatures", Int64(limit.count))
                json.member("maximum", Int64(limit.limit.maximumSignaturesPerCustomer))
                json.member("periodDays", Int64(limit.limit.periodDays))
                if let freeAt = limit.freeAt { json.member("freeAt", freeAt.rfc3339) }
            }
            report.objects("subscriptions", subscriptions) { $1.members(of: $0) }
            report.list("redemptions", holdings.redemptions) { $0.write(to: &$1) }
            report.objects("holdouts", holdings.holdouts) { holdout, json in
                json.member("name", holdout.name)
                json.member("arm", holdout.isHeldOut ? "heldOut" : "offered")
                json.member("environment", holdout.environment)
                json.member("originalTransactionId", holdout.originalTransactionId)
                json.member("firstAt", holdout.since.rfc3339)
            }
            report.member("stays", stays)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    var text: String {
        var lines = ["Customer \(Hexadecimal.text(customer.customer.bytes)) of \(Echo.known(customer.bundleId))"]
        func section(_ title: String, _ rows: [String]) {
            lines.append("\(title): \(rows.isEmpty ? "none" : "\(rows.count)")")
            lines += rows.map { "  " + Echo.visible($0) }
        }
        section("Signatures", holdings.signatures.map(\.line))
        section(
            "Limits",
            limits.map { limit in
                "\(limit.offer.productId) \(limit.offer.offerId): \(limit.count) of "
                    + "\(limit.limit.maximumSignaturesPerCustomer) within \(limit.limit.periodDays.of("day"))"
                    + (limit.freeAt.map { ", free again at \($0.rfc3339)" } ?? "")
            }
        )
        section(
            "Held subscriptions",
            subscriptions.map { held in
                let renews = held.renews.map { $0 ? ", renews" : ", does not renew" } ?? ""
                return "\(held.identity.environment.rawValue) \(held.identity.originalTransactionId) "
                    + "\(held.productId ?? "?"): \(held.state)"
                    + (held.endsAt.map { ", ends \($0.rfc3339)" } ?? "") + renews
                    + (held.asOf.map { ", as of \($0.rfc3339)" } ?? "") + ", told by \(held.toldBy)"
            }
        )
        section("Redemptions", holdings.redemptions.map(\.line))
        section(
            "Holdouts",
            holdings.holdouts.map { holdout in
                "\(holdout.name): \(holdout.isHeldOut ? "held out" : "offered") since \(holdout.since.rfc3339), "
                    + "\(holdout.environment)"
            }
        )
        return (lines + ["What stays after `ledger forget`:"] + stays.map { "  - \($0)" }).joined(separator: "\n")
    }
}

extension CustomerHoldings.Signature {
    fileprivate var line: String {
        "\(record.time.rfc3339) \(record.client): \(record.productId) \(record.offerId) (\(record.format)), nonce "
            + "\(record.nonce), timestamp \(record.timestamp.millisecondsSince1970)"
            + (redeemedAt.map { ", redeemed \($0.rfc3339)" } ?? "")
    }
}

extension FeedEntry {
    fileprivate var line: String {
        let price = redemption.price.map { ", \($0.amount) \($0.currency)" } ?? ""
        return "\(redemption.redeemedAt?.rfc3339 ?? "?") \(environment.rawValue) \(redemption.originalTransactionId): "
            + "\(redemption.productId) \(redemption.offerId)\(price), told by \(redemption.source.rawValue)"
    }
}

extension JSONWriter {
    fileprivate mutating func members(of signature: CustomerHoldings.Signature) {
        members(of: signature.record, hasPlace: false)
        if let redeemedAt = signature.redeemedAt { member("redeemedAt", redeemedAt.rfc3339) }
    }

    fileprivate mutating func members(of held: CustomerReport.Subscription) {
        member("environment", held.identity.environment.rawValue)
        member("originalTransactionId", held.identity.originalTransactionId)
        if let productId = held.productId { member("productId", productId) }
        member("state", held.state)
        if let endsAt = held.endsAt { member("endsAt", endsAt.rfc3339) }
        if let renews = held.renews { flag("renews", renews) }
        if let asOf = held.asOf { member("asOf", asOf.rfc3339) }
        member("toldBy", held.toldBy)
    }
}
