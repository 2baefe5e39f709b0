/// An auto-renewable subscription as it is set up in App Store Connect.
struct StoreProduct: Equatable, Sendable {
    /// The product's identifier.
    let id: String
    /// The subscription group's identifier.
    let groupId: String
    /// The level in the group; 1 is the highest.
    let level: Int
    /// What a period costs, in thousandths of the currency's unit.
    let price: Int64
    /// How long a payment lasts.
    let period: SubscriptionPeriod
    /// The introductory offer.
    let introductoryOffer: StoreOffer?
    /// The promotional offers.
    let offers: [StoreOffer]

    /// Looks a promotional offer up.
    ///
    /// - Parameter id: The offer's identifier.
    /// - Returns: The offer; `nil` when the product has none of that name.
    func offer(_ id: String) -> StoreOffer? { offers.first { $0.id == id } }
}
