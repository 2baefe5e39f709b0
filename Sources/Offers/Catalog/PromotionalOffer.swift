/// A promotional offer of a product, with the developer's own rules for who may have it.
///
/// The offer itself (price, duration, payment mode) is set up in App Store Connect; only its identifier matters here.
public struct PromotionalOffer: Equatable, Sendable {
    /// The offer's identifier in App Store Connect (`SKPaymentDiscount.identifier`).
    public let id: String
    /// Whom the offer is for; every state of ``SubscriberState/audience`` when the catalog names none.
    public let audience: Set<SubscriberState>
    /// The first moment at which it is signed; `nil` when it has always been on.
    public let startsAt: Timestamp?
    /// The moment from which it is no longer signed; `nil` when it has no end.
    public let endsAt: Timestamp?
    /// How many times one customer may redeem it; `nil` when there is no cap.
    public let maxRedemptions: Int?

    /// Creates an offer.
    ///
    /// Leave out what the catalog does not say.
    ///
    /// - Parameters:
    ///   - id: The offer's identifier in App Store Connect.
    ///   - audience: Whom it is for.
    ///   - startsAt: The first moment at which it is signed.
    ///   - endsAt: The moment from which it is no longer signed.
    ///   - maxRedemptions: How many times one customer may redeem it.
    public init(
        id: String,
        audience: Set<SubscriberState> = Set(SubscriberState.audience),
        startsAt: Timestamp? = nil,
        endsAt: Timestamp? = nil,
        maxRedemptions: Int? = nil
    ) {
        self.id = id
        self.audience = audience
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.maxRedemptions = maxRedemptions
    }
}
