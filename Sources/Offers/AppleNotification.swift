/// A notification as Apple sent it, known to be genuine and for an app of the catalog.
package struct AppleNotification: Sendable {
    /// `notificationUUID`.
    package let id: String
    /// `notificationType`.
    package let type: String
    /// `subtype`; `nil` for none.
    package let subtype: String?
    /// The app's bundle identifier.
    package let bundleId: String
    /// The environment.
    package let environment: AppStoreEnvironment
    /// When Apple signed it.
    package let signedDate: Timestamp
    /// What its transaction and renewal info say; `nil` where it carries none, or others than are known.
    package let history: SubscriptionHistory?
    /// Whether its contents are all of a form that is known.
    package let isUnderstood: Bool

    /// Creates a notification.
    ///
    /// - Parameters:
    ///   - id: `notificationUUID`.
    ///   - type: `notificationType`.
    ///   - subtype: `subtype`.
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment.
    ///   - signedDate: When Apple signed it.
    ///   - history: What its transaction and renewal info say.
    ///   - isUnderstood: Whether its contents are all of a form that is known.
    package init(
        id: String,
        type: String,
        subtype: String?,
        bundleId: String,
        environment: AppStoreEnvironment,
        signedDate: Timestamp,
        history: SubscriptionHistory?,
        isUnderstood: Bool = true
    ) {
        self.id = id
        self.type = type
        self.subtype = subtype
        self.bundleId = bundleId
        self.environment = environment
        self.signedDate = signedDate
        self.history = history
        self.isUnderstood = isUnderstood
    }

    /// The types that Apple documents (`notificationType`).
    package static let types: Set<String> = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "DID_RENEW",
        "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION", "OFFER_REDEEMED",
        "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED", "TEST", "UNCLAIM_SEATS",
    ]
}

/// A notification whose signature is Apple's, by whose it is.
package enum GenuineNotification: Sendable {
    /// It is for an app and environment of the catalog.
    case ours(AppleNotification)
    /// It is for an app that the catalog lacks.
    case ofOtherApp(bundleId: String, type: String)
    /// It names no app, or an environment that is none of Apple's.
    case ofNobody(type: String)
}

/// Reads Apple's notifications and checks their signatures: the port to Apple's side.
package protocol NotificationReader: Sendable {
    /// Reads a notification.
    ///
    /// - Parameter signedPayload: The `signedPayload` of the body.
    /// - Returns: The notification.
    /// - Throws: ``SignedDataFault`` when it is no notification of Apple's, or for another environment or Apple ID than the
    ///   catalog has of its app.
    func notification(_ signedPayload: String) throws(SignedDataFault) -> GenuineNotification
}

/// Why signed data is not taken for the App Store's.
package struct SignedDataFault: Error, Equatable {
    /// The kind of fault; the raw values name it in answers.
    package enum Code: String, CaseIterable, Sendable {
        /// It is no compact JWS.
        case malformed = "jws_malformed"
        /// It is not signed with ES256.
        case algorithm = "jws_algorithm"
        /// `x5c` has not exactly three certificates.
        case chainLength = "jws_chain_length"
        /// A certificate cannot be read.
        case certificateMalformed = "jws_certificate_malformed"
        /// A certificate lacks the extension by which Apple marks what it is for.
        case certificatePurpose = "jws_certificate_purpose"
        /// The certificates do not certify each other.
        case chainBroken = "jws_chain_broken"
        /// The chain ends at a root that is not trusted.
        case untrustedRoot = "jws_untrusted_root"
        /// A certificate was not valid when the data was signed.
        case chainExpired = "jws_chain_expired"
        /// The signature is not the certificate's over this payload: another key made it, or the payload was changed.
        case signatureInvalid = "jws_signature_invalid"
        /// The payload is signed, but not what it should be.
        case payloadMalformed = "jws_payload_malformed"
        /// The parts that were sent together do not belong together.
        case mixed = "jws_mixed"
        /// It is for an app or environment that is not in the catalog.
        case otherApp = "app_not_in_catalog"
    }

    /// The kind of fault.
    package let code: Code
    /// The fault in a sentence.
    package let detail: String

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - detail: The fault in a sentence.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

/// A notification as it is kept: what came and when, without what it says of a customer.
package struct NotificationRecord: Equatable, Sendable {
    /// `notificationUUID`: one that was seen before changes nothing.
    package let id: String
    /// `notificationType`, as it came.
    package let type: String
    /// `subtype`, as it came; `nil` for none.
    package let subtype: String?
    /// The app's bundle identifier.
    package let bundleId: String
    /// The environment.
    package let environment: AppStoreEnvironment
    /// When Apple signed it.
    package let signedDate: Timestamp
    /// When it came, by the server's clock.
    package let receivedAt: Timestamp

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - id: `notificationUUID`.
    ///   - type: `notificationType`.
    ///   - subtype: `subtype`.
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment.
    ///   - signedDate: When Apple signed it.
    ///   - receivedAt: When it came.
    package init(
        id: String,
        type: String,
        subtype: String?,
        bundleId: String,
        environment: AppStoreEnvironment,
        signedDate: Timestamp,
        receivedAt: Timestamp
    ) {
        self.id = id
        self.type = type
        self.subtype = subtype
        self.bundleId = bundleId
        self.environment = environment
        self.signedDate = signedDate
        self.receivedAt = receivedAt
    }
}
