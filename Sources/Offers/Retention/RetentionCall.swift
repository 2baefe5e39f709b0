/// Apple's question about a customer who looks at a subscription where it can be cancelled.
///
/// It is known to be genuine and for an app of the catalog.
package struct RetentionCall: Equatable, Sendable {
    package let subscription: SubscriptionIdentity
    /// The product that the customer has.
    package let productId: String
    /// As Apple names it; `nil` where it did not.
    package let locale: String?
    /// The same call has the same answer.
    package let key: RetentionCallKey
    /// When Apple signed it.
    package let signedDate: Timestamp

    package init(
        subscription: SubscriptionIdentity,
        productId: String,
        locale: String?,
        requestIdentifier: String,
        signedDate: Timestamp
    ) {
        self.subscription = subscription
        self.productId = productId
        self.locale = locale
        key = RetentionCallKey(requestIdentifier: requestIdentifier, subscription: subscription)
        self.signedDate = signedDate
    }
}

/// The key under which the answer to a call is kept.
package struct RetentionCallKey: Hashable, Sendable {
    /// The call's name, in lower case.
    package let requestIdentifier: String
    package let subscription: SubscriptionIdentity

    package init(requestIdentifier: String, subscription: SubscriptionIdentity) {
        self.requestIdentifier = requestIdentifier.lowercased()
        self.subscription = subscription
    }
}

/// The port to Apple's side that reads calls for retention messages and checks their signatures.
package protocol RetentionCallReader: Sendable {
    /// Takes the `signedPayload` of the body, a JWS; throws when it is not Apple's, or not for an app of the catalog.
    func retentionCall(_ signedPayload: String) throws(SignedDataFault) -> RetentionCall
}

/// The answer to a call of Apple's.
package struct RetentionAnswer: Equatable, Sendable {
    /// The part shown beside the message.
    package enum Proposal: Equatable, Sendable {
        case message
        /// Another product of the customer's group.
        case alternateProduct(productId: String, billingPlanType: RetentionRule.BillingPlanType?)
        case promotionalOffer(PromotionalOfferJWS)
    }

    /// The message's identifier at Apple.
    package let messageIdentifier: String
    package let proposal: Proposal

    package init(messageIdentifier: String, proposal: Proposal) {
        self.messageIdentifier = messageIdentifier
        self.proposal = proposal
    }
}

/// The ledger as calls of Apple's use it.
package protocol RetentionLedger: SignatureLedger {
    /// Appends an entry for a caller who waits until a moment, and no longer.
    ///
    /// An entry that is not about to be committed by then is not recorded. If the call was answered before, the
    /// outcome is ``GrantOutcome/answered(_:)`` alone. When it throws, nothing of the entry may leave.
    func append(
        _ entry: LedgerEntry,
        until moment: ContinuousClock.Instant
    ) async throws(StorageFailure) -> [GrantOutcome]
}
