package import Offers

/// Has a line written for decisions of the calls that sign.
package struct DecisionLog: Sendable {
    /// The decisions that have one: `log.decisions`.
    package enum Kind: String, CaseIterable, Sendable {
        case none
        case refused
        case all
    }

    package struct Line: Sendable {
        package let client: String
        package let bundleId: String
        package let productId: String
        /// `nil` of an introductory offer.
        package let offerId: String?
        package let verdict: Verdict
        package let reason: String
        /// `held`, `appStore` or `evidence`; `nil` where none was looked at.
        package let source: String?
        /// The ledger's digest of the customer; `nil` where neither an account nor a subscription is known.
        package let customer: AccountDigest?
    }

    private let kind: Kind
    private let digester: any HoldoutDraw
    private let write: @Sendable (Line) -> Void

    /// Creates a log; `nil` where no decision has a line.
    package init?(_ kind: Kind, digester: any HoldoutDraw, write: @escaping @Sendable (Line) -> Void) {
        guard kind != .none else { return nil }
        self.kind = kind
        self.digester = digester
        self.write = write
    }

    /// Writes the lines of an answer.
    func log(_ answer: CustomerAnswer, of app: App) {
        let request = answer.request
        guard request.signatureCount > 0 else { return }
        let customer = request.account.customer(by: app.customerSeparator)
        func writeLine(
            _ productId: String,
            _ offerId: String?,
            _ verdict: Verdict,
            _ reason: String,
            _ basis: DecisionBasis?
        ) {
            write(
                verdict,
                Line(
                    client: request.client,
                    bundleId: request.bundleId,
                    productId: productId,
                    offerId: offerId,
                    verdict: verdict,
                    reason: reason,
                    source: basis?.source(isAppStores: answer.isAppStores),
                    customer: digest(of: customer, basis?.originalTransactionId, in: request.bundleId)
                )
            )
        }
        for offer in answer.decisions {
            let decision = offer.decision
            let reason = decision.reason.rawValue
            writeLine(offer.request.productId, offer.request.offerId, decision.verdict, reason, decision.basis)
        }
        for product in answer.products {
            let decision = product.introductoryOffer
            writeLine(product.productId, nil, decision.verdict, decision.reason.rawValue, decision.basis)
        }
    }

    /// Writes the lines of a call of Apple's.
    func log(
        _ reasons: [(offer: OfferRequest, reason: Reason)],
        of subscription: SubscriptionIdentity,
        account: AccountDigest?
    ) {
        let customer = account ?? digest(of: nil, subscription.originalTransactionId, in: subscription.bundleId)
        for (offer, reason) in reasons {
            write(
                reason.verdict,
                Line(
                    client: LedgerEntry.retention,
                    bundleId: subscription.bundleId,
                    productId: offer.productId,
                    offerId: offer.offerId,
                    verdict: reason.verdict,
                    reason: reason.rawValue,
                    source: "held",
                    customer: customer
                )
            )
        }
    }

    private func write(_ verdict: Verdict, _ line: @autoclosure () -> Line) {
        if kind == .all || verdict != .eligible { write(line()) }
    }

    private func digest(of customer: String?, _ originalTransactionId: String?, in bundleId: String) -> AccountDigest? {
        guard customer != nil || originalTransactionId != nil else { return nil }
        return digester.digest(
            ofCustomer: customer,
            originalTransactionId: originalTransactionId,
            bundleId: bundleId
        )
    }
}
