/// What decisions are counted by: of no more kinds than the catalog and the reasons allow.
public struct CountedDecision: Hashable, Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The offer; both identifiers are empty for one that the catalog does not have, whatever it was called.
    public let offer: OfferRequest
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    public let environment: AppStoreEnvironment?
    /// The call that it was given to.
    public let call: DecisionCall
    /// The reason that was given.
    public let reason: Reason

    /// What stands for all offers that the catalog does not have.
    public static let unlisted = OfferRequest(productId: "", offerId: "")

    /// Names a kind of decision.
    ///
    /// - Parameters:
    ///   - reason: The reason that was given.
    ///   - offer: The offer that was asked for.
    ///   - bundleId: The app's bundle identifier, of the catalog.
    ///   - environment: The environment that the evidence is from.
    ///   - call: The call that it was given to.
    public init(
        _ reason: Reason,
        of offer: OfferRequest,
        bundleId: String,
        environment: AppStoreEnvironment?,
        call: DecisionCall
    ) {
        self.bundleId = bundleId
        // The catalog is asked first: whatever else was said, it has the offer.
        self.offer = reason == .offerNotInCatalog ? Self.unlisted : offer
        self.environment = environment
        self.call = call
        self.reason = reason
    }
}
