/// A promotional offer that was redeemed: by the first transaction of a run under it, or by a customer who took it for the
/// next renewal.
///
/// Optional members are `nil` where Apple did not say.
package struct OfferRedemption: Hashable, Sendable {
    /// When the offer begins; the raw values are those of answers, and are kept in storage.
    package enum Begins: String, Sendable {
        case now
        /// It was taken while the subscription ran.
        case nextRenewal = "next_renewal"
    }

    /// Who showed it; the raw values are those of answers, and are kept in storage.
    package enum Source: String, Sendable {
        case apple
        /// A client's verifyReceipt answer alone.
        case receiptResponse
    }

    package let originalTransactionId: String
    /// The first transaction under the offer; `nil` also until the renewal with which it begins.
    package private(set) var transactionId: String?
    package private(set) var productId: String
    package let subscriptionGroupIdentifier: String?
    package let offerId: String
    /// The date of the purchase, or the one at which Apple first said that the offer was taken.
    package let redeemedAt: Timestamp?
    package private(set) var price: PaidPrice?
    /// The App Store's country, in ISO 3166-1 alpha-3.
    package private(set) var storefront: String?
    /// Apple's number for the purchase.
    package private(set) var webOrderLineItemId: String?
    package let begins: Begins
    package let source: Source
    /// Whether Apple says that it is a retention offer (`offerType` 5), which Apple gives itself where nobody answers its call.
    package internal(set) var isRetention = false

    package init(
        originalTransactionId: String,
        transactionId: String?,
        productId: String,
        subscriptionGroupIdentifier: String?,
        offerId: String,
        redeemedAt: Timestamp?,
        price: PaidPrice?,
        storefront: String?,
        webOrderLineItemId: String?,
        begins: Begins = .now,
        source: Source = .apple
    ) {
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.offerId = offerId
        self.redeemedAt = redeemedAt
        self.price = price
        self.storefront = storefront
        self.webOrderLineItemId = webOrderLineItemId
        self.begins = begins
        self.source = source
    }

    init(_ accepted: AcceptedOffer, at date: Timestamp, of identity: SubscriptionIdentity, in group: String?) {
        self.init(
            originalTransactionId: identity.originalTransactionId,
            transactionId: nil,
            productId: accepted.productId,
            subscriptionGroupIdentifier: group,
            offerId: accepted.offerId,
            redeemedAt: date,
            price: nil,
            storefront: nil,
            webOrderLineItemId: nil,
            begins: .nextRenewal
        )
    }

    /// Begins with its first transaction.
    fileprivate mutating func begin(with transaction: Transaction) {
        transactionId = transaction.transactionId
        productId = transaction.productId
        price = transaction.price
        storefront = transaction.storefront
        webOrderLineItemId = transaction.webOrderLineItemId
        isRetention = transaction.offer?.isRetention ?? false
    }
}

extension Chapter {
    /// In the order of purchases; a pay-as-you-go offer names itself on each renewal of one redemption, see
    /// ``RedemptionRun``.
    ///
    /// An offer that was taken for the next renewal is one redemption with that renewal.
    package var redemptions: [OfferRedemption] {
        guard hasRedemptions else { return [] }
        let purchases = (transactions.map(\.content) + shown).ownPurchases
        var taken = AcceptedOffers(accepted, beside: purchases)
        var run = RedemptionRun()
        var found: [OfferRedemption] = []
        taken.append(at: -1, beside: nil, into: &found, of: identity, in: purchases.first?.subscriptionGroupIdentifier)
        for (place, purchase) in purchases.enumerated() {
            if run.turns(at: purchase), let offerId = run.offerId {
                // Who buys anew takes the offer anew: the one that waited was let go.
                if purchase.reason != .purchase, let known = taken.begun(by: offerId) {
                    found[known].begin(with: purchase)
                } else {
                    found.append(redemption(purchase, under: offerId))
                }
            }
            let group = purchase.subscriptionGroupIdentifier
            taken.append(at: place, beside: purchase, into: &found, of: identity, in: group)
        }
        // One that waits for its renewal is named by the renewal info alone.
        if let next = renewal?.content?.offer, next.isRetention {
            for place in found.indices where found[place].transactionId == nil {
                found[place].isRetention = found[place].offerId == next.identifier
            }
        }
        return found
    }

    private func redemption(_ purchase: Transaction, under offerId: String) -> OfferRedemption {
        var redemption = OfferRedemption(
            originalTransactionId: identity.originalTransactionId,
            transactionId: purchase.transactionId,
            productId: purchase.productId,
            subscriptionGroupIdentifier: purchase.subscriptionGroupIdentifier,
            offerId: offerId,
            redeemedAt: purchase.purchaseDate,
            price: purchase.price,
            storefront: purchase.storefront,
            webOrderLineItemId: purchase.webOrderLineItemId,
            source: transactions.contains { $0.content.isNamed(as: purchase) } ? .apple : .receiptResponse
        )
        redemption.isRetention = purchase.offer?.isRetention ?? false
        return redemption
    }

    /// The renewal by which it goes on from an earlier original id, under which the offer of that renewal was redeemed.
    package var continuation: Transaction? {
        guard !linked.isEmpty, let first = (transactions.map(\.content) + shown).ownPurchases.first else { return nil }
        return first.reason == .renewal && first.previousOriginalTransactionId != nil ? first : nil
    }

    /// Whether a promotional offer was redeemed, as far as is held.
    package var hasRedemptions: Bool {
        !shown.isEmpty || !accepted.isEmpty || transactions.contains { $0.content.offer?.catalogId != nil }
    }
}
