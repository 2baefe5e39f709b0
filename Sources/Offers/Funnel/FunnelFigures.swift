/// The recorded figures of offers within a period, summed up: the input of a ``Funnel``.
package struct FunnelFigures: Equatable, Sendable {
    package struct Offer: Hashable, Sendable {
        package let bundleId: String
        package let request: OfferRequest

        package init(bundleId: String, request: OfferRequest) {
            self.bundleId = bundleId
            self.request = request
        }
    }

    /// Decisions about an offer that were counted together.
    package struct Decisions: Hashable, Sendable {
        package let offer: Offer
        /// The call that they answered.
        package let call: DecisionCall
        package let reason: Reason

        package init(offer: Offer, call: DecisionCall, reason: Reason) {
            self.offer = offer
            self.call = call
            self.reason = reason
        }
    }

    /// Redemptions of an offer that were counted together.
    package struct Redemptions: Hashable, Sendable {
        package let offer: Offer
        /// As Apple signed it; `nil` if it did not say.
        package let price: PaidPrice?
        /// The App Store's country; `nil` where Apple did not say.
        package let storefront: String?
        /// Whether the signature behind them is in the ledger.
        package let isSignedHere: Bool
        /// Whether Apple gave the offer itself, as a retention offer without a signature of the ledger.
        package let isGivenByApple: Bool

        package init(
            offer: Offer,
            price: PaidPrice?,
            storefront: String?,
            isSignedHere: Bool,
            isGivenByApple: Bool = false
        ) {
            self.offer = offer
            self.price = price
            self.storefront = storefront
            self.isSignedHere = isSignedHere
            self.isGivenByApple = isGivenByApple
        }
    }

    package var decisions: [Decisions: Int]
    package var signatures: [Offer: Int]
    package var redemptions: [Redemptions: Int]

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

/// The key by which decisions are counted: of no more kinds than the catalog and the reasons allow.
package struct CountedDecision: Hashable, Sendable {
    package let bundleId: String
    /// ``unlisted`` for an offer that the catalog does not have, whatever it was called.
    package let offer: OfferRequest
    /// The environment of the evidence; `nil` without evidence, or where it does not say.
    package let environment: AppStoreEnvironment?
    /// The call that it answered.
    package let call: DecisionCall
    package let reason: Reason

    /// Stands for all offers that the catalog does not have.
    package static let unlisted = OfferRequest(productId: "", offerId: "")

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
    case eligibility
    /// Apple's, about a customer who is about to cancel.
    case retention
}

extension Int {
    /// Adds within the ends of the range: a database may say anything, and no sum of it ends the process.
    package mutating func add(saturating other: Int) {
        let (sum, overflow) = addingReportingOverflow(other)
        self = overflow ? (other > 0 ? .max : .min) : sum
    }
}
