/// Apple's question about a customer who looks at a subscription where it can be cancelled, known to be genuine and for an
/// app of the catalog.
package struct RetentionCall: Equatable, Sendable {
    /// The subscription.
    package let subscription: SubscriptionIdentity
    /// The product that the customer has.
    package let productId: String
    /// The customer's locale, as Apple names it; `nil` where it did not.
    package let locale: String?
    /// The call's name, in lower case: the same call has the same answer.
    package let requestIdentifier: String
    /// When Apple signed it.
    package let signedDate: Timestamp

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - productId: The product that the customer has.
    ///   - locale: The customer's locale.
    ///   - requestIdentifier: The call's name.
    ///   - signedDate: When Apple signed it.
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
        self.requestIdentifier = requestIdentifier.lowercased()
        self.signedDate = signedDate
    }

    /// The key under which its answer is kept.
    package var key: RetentionCallKey {
        RetentionCallKey(requestIdentifier: requestIdentifier, subscription: subscription)
    }
}

/// The key under which the answer to a call is kept.
package struct RetentionCallKey: Hashable, Sendable {
    /// The call's name, in lower case.
    package let requestIdentifier: String
    /// The subscription that it is about.
    package let subscription: SubscriptionIdentity

    /// The time for which an answer is kept, in seconds.
    package static let lifetimeSeconds: Int64 = 3600

    /// Names a call.
    ///
    /// - Parameters:
    ///   - requestIdentifier: The call's name, in lower case.
    ///   - subscription: The subscription that it is about.
    package init(requestIdentifier: String, subscription: SubscriptionIdentity) {
        self.requestIdentifier = requestIdentifier
        self.subscription = subscription
    }
}

/// Reads Apple's calls for retention messages and checks their signatures: the port to Apple's side.
package protocol RetentionCallReader: Sendable {
    /// Reads a call.
    ///
    /// - Parameter signedPayload: The `signedPayload` of the body, a JWS.
    /// - Returns: The call.
    /// - Throws: ``SignedDataFault`` when it is not Apple's, or not for an app of the catalog.
    func retentionCall(_ signedPayload: String) throws(SignedDataFault) -> RetentionCall
}

/// What Apple is answered.
package struct RetentionAnswer: Equatable, Sendable {
    /// The part shown beside the message.
    package enum Proposal: Equatable, Sendable {
        /// Nothing.
        case message
        /// Another product of the customer's group.
        case alternateProduct(productId: String, billingPlanType: RetentionRule.BillingPlanType?)
        /// A promotional offer.
        case promotionalOffer(PromotionalOfferJWS)
    }

    /// The message's identifier at Apple.
    package let messageIdentifier: String
    /// The part shown beside it.
    package let proposal: Proposal

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - messageIdentifier: The message's identifier at Apple.
    ///   - proposal: What is shown beside it.
    package init(messageIdentifier: String, proposal: Proposal) {
        self.messageIdentifier = messageIdentifier
        self.proposal = proposal
    }
}

/// The ledger as calls of Apple's use it.
package protocol RetentionLedger: SignatureLedger {
    /// Appends an entry for a caller who waits until a moment, and no longer: what is not about to be committed by then is not
    /// recorded.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - moment: Until when it may begin to be committed.
    /// - Returns: The outcomes of its grants; ``GrantOutcome/answered(_:)`` alone where the call was answered before.
    /// - Throws: ``StorageFailure`` when nothing of it may leave.
    func append(
        _ entry: LedgerEntry,
        until moment: ContinuousClock.Instant
    ) async throws(StorageFailure) -> [GrantOutcome]

    /// The recent answer to a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - now: The server's clock.
    /// - Returns: The answer's bytes; `nil` where there is none on record.
    /// - Throws: ``StorageFailure`` when the ledger cannot be read.
    func keptAnswer(to call: RetentionCallKey, at now: Timestamp) async throws(StorageFailure) -> [UInt8]?
}
