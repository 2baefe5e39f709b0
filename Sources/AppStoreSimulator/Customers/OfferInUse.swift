/// An offer that a customer has redeemed, with the payments that are still to come at its price.
struct OfferInUse: Equatable, Sendable {
    /// The offer.
    let offer: StoreOffer
    /// How many payments are left.
    var paymentsLeft: Int

    /// Redeems an offer; nothing is paid yet.
    init(_ offer: StoreOffer) {
        self.offer = offer
        self.paymentsLeft = offer.mode == .payAsYouGo ? offer.periods : 1
    }
}
