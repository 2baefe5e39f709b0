/// A share of an offer's customers who are not given it, so that the others can be compared with them: `holdout` in
/// `catalog.yaml`.
package struct Holdout: Equatable, Sendable {
    package static let percents = 1...99

    package let percent: Int
    /// Offers of one name share their draw; `nil` for the offer's own id.
    package let name: String?

    package init(percent: Int, name: String? = nil) {
        self.percent = percent
        self.name = name
    }

    /// Whether a draw is below the share: a larger share has all draws of a smaller one.
    package func holdsOut(_ draw: UInt64) -> Bool {
        // Of 100 times the draw, what is above 64 bits is its percent, rounded down.
        draw.multipliedFullWidth(by: 100).high < UInt64(percent)
    }
}

/// The port to the holder of the key by which customers are drawn: a draw is the same at every service, for ever.
package protocol HoldoutDraw: Sendable {
    /// The ledger's digest of a customer: of the account, and where there is none of the subscription.
    func digest(ofCustomer customer: String?, originalTransactionId: String?, bundleId: String) -> AccountDigest
    /// Evenly distributed over all values, and independent for each name.
    func draw(_ name: String, of customer: AccountDigest) -> UInt64
}

/// A customer who would get an offer with a holdout, as drawn.
package struct DrawnCustomer: Equatable, Sendable {
    /// The holdout's name.
    package let name: String
    package let customer: AccountDigest
    /// Of the subscription that decided.
    package let originalTransactionId: String?
    package let isHeldOut: Bool

    package init(name: String, customer: AccountDigest, originalTransactionId: String?, isHeldOut: Bool) {
        self.name = name
        self.customer = customer
        self.originalTransactionId = originalTransactionId
        self.isHeldOut = isHeldOut
    }
}

/// A drawn customer of an app.
package struct HoldoutCustomer: Equatable, Sendable {
    package let drawn: DrawnCustomer
    package let bundleId: String
    package let environment: AppStoreEnvironment?

    package init(_ drawn: DrawnCustomer, bundleId: String, environment: AppStoreEnvironment?) {
        self.drawn = drawn
        self.bundleId = bundleId
        self.environment = environment
    }
}

/// Records when each customer of a holdout was first seen: plain synchronous calls, which never wait.
package protocol HoldoutRecords: Sendable {
    func record(_ customer: HoldoutCustomer)
}

extension PromotionalOffer {
    /// The name that its customers are drawn by; `nil` for an offer that holds nobody out.
    package var holdoutName: String? { terms.holdout.map { $0.name ?? id } }
}

extension App {
    package var hasHoldouts: Bool {
        offers { $0.holdout != nil }
    }
}

extension SubscriberFacts {
    /// The customer and the draw; `nil` where nobody is drawn.
    ///
    /// The customer is the ledger's, as for limits. If the purchases name no account, the draw is the subscription's:
    /// nobody moves by the account that asks. Of a subscription with several ids the history has the first.
    var drawn: DrawnCustomer? {
        guard let holdout = offer.terms.holdout, let name = offer.holdoutName, let draw = offerFacts.request.draw,
            let customer = digest(by: draw)
        else { return nil }
        return DrawnCustomer(
            name: name,
            customer: customer,
            originalTransactionId: offerFacts.originalTransactionId,
            isHeldOut: holdout.holdsOut(draw.draw(name, of: subscription(by: draw) ?? customer))
        )
    }

    /// `nil` where the purchases name an account, and for a subscription without an id.
    private func subscription(by draw: any HoldoutDraw) -> AccountDigest? {
        let isNamed = offerFacts.reading?.namesAccount == true || offerFacts.request.customer.isNamed
        guard !isNamed, let id = offerFacts.originalTransactionId, !id.isEmpty else {
            return nil
        }
        return draw.digest(ofCustomer: nil, originalTransactionId: id, bundleId: offerFacts.request.app.bundleId)
    }

    /// `nil` for a request without account and without a subscription.
    private func digest(by draw: any HoldoutDraw) -> AccountDigest? {
        let request = offerFacts.request
        if let account = request.customer.knownAccount { return account }
        let customer = request.account.customer(by: request.app.customerSeparator)
        guard customer != nil || offerFacts.originalTransactionId?.isEmpty == false else { return nil }
        return draw.digest(
            ofCustomer: customer,
            originalTransactionId: offerFacts.originalTransactionId,
            bundleId: request.app.bundleId
        )
    }
}
