/// A promotional offer that a customer took while the subscription ran: it begins with a later renewal.
///
/// Apple says it in the renewal info (`OFFER_REDEEMED`), and until that renewal no transaction shows it.
package struct AcceptedOffer: Hashable, Sendable {
    /// How many are held of a subscription, the newest.
    static let most = 32

    package let offerId: String
    /// The product of the next renewal.
    package let productId: String
    /// The purchase that ran then, by its key among the held transactions.
    let beside: String

    /// The offer that a renewal info names and the purchase beside it does not, with the date of the renewal info.
    ///
    /// An offer of several periods names itself in the renewal infos of its own purchases: it is none that was taken anew.
    static func found(
        in renewal: Statement<RenewalInfo?>?,
        beside transactions: [Statement<Transaction>]
    ) -> [AcceptedOffer: Timestamp] {
        guard let renewal, let entry = renewal.content, let offerId = entry.offer?.catalogId else { return [:] }
        let purchases = transactions.map(\.content).ownPurchases
        // A renewal that was charged ahead is the purchase before the offer, where it was shown by then.
        let known = purchases.last { purchase in
            purchase.isBought(by: renewal.asOf) || purchase.expiresDate == entry.renewalDate && entry.renewalDate != nil
                || transactions.contains { said in
                    said.content.isNamed(as: purchase) && said.shownSince.map { $0 <= renewal.asOf } ?? false
                }
        }
        let running = known ?? purchases.last
        guard let running, running.offer?.catalogId != offerId else { return [:] }
        let accepted = AcceptedOffer(
            offerId: offerId,
            productId: entry.offerProductId ?? entry.productId ?? running.productId,
            beside: running.heldKey
        )
        return [accepted: renewal.asOf]
    }

    /// An order that is always the same, by the dates first.
    static func isEarlier(_ left: Dictionary<Self, Timestamp>.Element, _ right: Dictionary<Self, Timestamp>.Element)
        -> Bool
    {
        (left.value, left.key.offerId, left.key.beside, left.key.productId)
            < (right.value, right.key.offerId, right.key.beside, right.key.productId)
    }
}

/// The offers that were taken, each beside the purchases of a subscription that ran then.
struct AcceptedOffers {
    private typealias Taken = (offer: AcceptedOffer, date: Timestamp)

    /// By the place of the purchase that ran then, in the order of their dates; -1 is before all.
    private var byPlace: [Int: [Taken]] = [:]
    /// Those that wait for a renewal, by their offers, each with its place among the redemptions.
    private var waiting: [String: Int] = [:]

    /// Takes the purchases in their order.
    init(_ accepted: [AcceptedOffer: Timestamp], beside purchases: [Transaction]) {
        for (offer, date) in accepted.sorted(by: AcceptedOffer.isEarlier) {
            let place = purchases.lastIndex { $0.isBought(by: date) } ?? -1
            let named = purchases.lastIndex { $0.heldKey == offer.beside } ?? -1
            byPlace[max(place, named), default: []].append((offer, date))
        }
    }

    /// The place, among the redemptions, of the one that a purchase under its offer begins; `nil` where none waits for it.
    mutating func begun(by offerId: String) -> Int? { waiting.removeValue(forKey: offerId) }

    /// Appends the offers that were taken while a purchase ran.
    ///
    /// One that waits already stays the same one while the renewal info goes on to name it; else it was let go.
    mutating func append(
        at place: Int,
        beside purchase: Transaction?,
        into found: inout [OfferRedemption],
        of identity: SubscriptionIdentity,
        in group: String?
    ) {
        let before = waiting
        waiting = [:]
        let running = purchase?.offer?.catalogId
        for (offer, date) in byPlace[place] ?? [] where offer.offerId != running && waiting[offer.offerId] == nil {
            if let known = before[offer.offerId],
                purchase?.isBegun(under: found[known].redeemedAt, namedSince: date) ?? true
            {
                waiting[offer.offerId] = known
                continue
            }
            waiting[offer.offerId] = found.count
            found.append(OfferRedemption(offer, at: date, of: identity, in: group))
        }
    }
}

extension Transaction {
    /// Whether an offer that waits was named as this purchase began, or taken once this one was charged: up to a day before.
    fileprivate func isBegun(under taken: Timestamp?, namedSince named: Timestamp) -> Bool {
        guard let purchaseDate, let taken else { return true }
        return named <= purchaseDate.adding(days: 1) || purchaseDate <= taken.adding(days: 1)
    }

    fileprivate func isBought(by moment: Timestamp) -> Bool {
        (purchaseDate ?? expiresDate).map { $0 <= moment } ?? false
    }
}
