/// Which of a product's offers is meant.
public enum OfferName: Hashable, Sendable {
    /// The introductory offer: a product has one in a country.
    case introductory
    /// A promotional offer, by its identifier.
    case promotional(String)

    /// The identifier of a promotional offer.
    public var offerId: String? {
        switch self {
        case .introductory: nil
        case .promotional(let id): id
        }
    }
}
