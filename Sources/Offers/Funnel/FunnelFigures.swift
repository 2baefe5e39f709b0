/// The recorded figures of offers within a period, summed up: the input of a ``Funnel``.
package struct FunnelFigures: Equatable, Sendable {
    /// An offer of an app.
    package struct Offer: Hashable, Sendable {
        /// The app's bundle identifier.
        package let bundleId: String
        /// The product and the offer.
        package let request: OfferRequest

        /// Names an offer.
        ///
        /// - Parameters:
        ///   - bundleId: The app's bundle identifier.
        ///   - request: The product and the offer.
        package init(bundleId: String, request: OfferRequest) {
            self.bundleId = bundleId
            self.request = request
        }
    }

    /// Decisions about an offer that were counted together.
    package struct Decisions: Hashable, Sendable {
        /// The offer.
        package let offer: Offer
        /// The call that they were given to.
        package let call: DecisionCall
        /// The reason that was given.
        package let reason: Reason

        /// Names decisions.
        ///
        /// - Parameters:
        ///   - offer: The offer.
        ///   - call: The call that they were given to.
        ///   - reason: The reason that was given.
        package init(offer: Offer, call: DecisionCall, reason: Reason) {
            self.offer = offer
            self.call = call
            self.reason = reason
        }
    }

    /// Redemptions of an offer that were counted together.
    package struct Redemptions: Hashable, Sendable {
        /// The offer.
        package let offer: Offer
        /// The price paid, as Apple signed it; `nil` if it did not say.
        package let price: PaidPrice?
        /// The App Store's country; `nil` where Apple did not say.
        package let storefront: String?
        /// Whether the signature behind them is in the ledger.
        package let isSignedHere: Bool

        /// Names redemptions.
        ///
        /// - Parameters:
        ///   - offer: The offer.
        ///   - price: What was paid.
        ///   - storefront: The App Store's country.
        ///   - isSignedHere: Whether the signature behind them is in the ledger.
        package init(offer: Offer, price: PaidPrice?, storefront: String?, isSignedHere: Bool) {
            self.offer = offer
            self.price = price
            self.storefront = storefront
            self.isSignedHere = isSignedHere
        }
    }

    /// How many decisions there were.
    package var decisions: [Decisions: Int]
    /// How many signatures were made.
    package var signatures: [Offer: Int]
    /// How many redemptions there were.
    package var redemptions: [Redemptions: Int]

    /// Creates figures.
    ///
    /// - Parameters:
    ///   - decisions: How many decisions there were.
    ///   - signatures: How many signatures were made.
    ///   - redemptions: How many redemptions there were.
    package init(
        decisions: [Decisions: Int] = [:],
        signatures: [Offer: Int] = [:],
        redemptions: [Redemptions: Int] = [:]
    ) {
        self.decisions = decisions
        self.signatures = signatures
        self.redemptions = redemptions
    }
}

/// What decisions are counted by: of no more kinds than the catalog and the reasons allow.
package struct CountedDecision: Hashable, Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The offer; both identifiers are empty for one that the catalog does not have, whatever it was called.
    package let offer: OfferRequest
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    package let environment: AppStoreEnvironment?
    /// The call that it was given to.
    package let call: DecisionCall
    /// The reason that was given.
    package let reason: Reason

    /// What stands for all offers that the catalog does not have.
    package static let unlisted = OfferRequest(productId: "", offerId: "")

    /// Names a kind of decision.
    ///
    /// - Parameters:
    ///   - reason: The reason that was given.
    ///   - offer: The offer that was asked for.
    ///   - bundleId: The app's bundle identifier, of the catalog.
    ///   - environment: The environment that the evidence is from.
    ///   - call: The call that it was given to.
    package init(
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

/// The calls that decide about offers.
package enum DecisionCall: String, CaseIterable, Sendable {
    /// Decides, and signs where it may.
    case signatures
    /// Decides alone.
    case eligibility
    /// Apple's, about a customer who is about to cancel.
    case retention
}

extension Int {
    /// Adds a number, held at the ends of the range: a database may say anything, and no sum of it ends the process.
    ///
    /// - Parameter other: The number.
    package mutating func add(saturating other: Int) {
        let (sum, overflow) = addingReportingOverflow(other)
        self = overflow ? (other > 0 ? .max : .min) : sum
    }
}
