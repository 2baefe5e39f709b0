/// Where a customer has to be a subscriber, or have been one, to be considered for an offer; the raw values are those of
/// `scope` in `catalog.yaml`.
public enum OfferScope: String, CaseIterable, Sendable {
    /// In the product's subscription group.
    case group
    /// In any group of the app: Apple's own rule ("Implementing promotional offers in your app").
    ///
    /// The state that the offer's audience is about is then the strongest of all groups.
    case app
}
