/// A notification of Apple's, known to be genuine and for an app of the catalog.
package struct AppleNotification: Sendable {
    /// `notificationUUID`.
    package let id: String
    package let type: String
    package let subtype: String?
    package let bundleId: String
    package let environment: AppStoreEnvironment
    package let signedDate: Timestamp
    /// Its transaction and renewal info; `nil` where it carries none, or others than are known.
    package let book: Book?
    /// Whether the form of all its contents is known.
    package let isUnderstood: Bool

    package init(
        id: String,
        type: String,
        subtype: String?,
        bundleId: String,
        environment: AppStoreEnvironment,
        signedDate: Timestamp,
        book: Book?,
        isUnderstood: Bool = true
    ) {
        self.id = id
        self.type = type
        self.subtype = subtype
        self.bundleId = bundleId
        self.environment = environment
        self.signedDate = signedDate
        self.book = book
        self.isUnderstood = isUnderstood
    }

    /// The values of `notificationType` that Apple documents.
    package static let types: Set<String> = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "DID_RENEW",
        "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION", "OFFER_REDEEMED",
        "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED", "TEST", "UNCLAIM_SEATS",
    ]
}

/// A notification with Apple's signature, by its addressee.
package enum GenuineNotification: Sendable {
    case ours(AppleNotification)
    case ofOtherApp(bundleId: String, type: String)
    /// It names no app, or an environment that is none of Apple's.
    case ofNobody(type: String)
}

/// The port to Apple's side that reads notifications and checks their signatures.
package protocol NotificationReader: Sendable {
    /// Throws where it is no notification of Apple's, or for another environment or Apple ID than the catalog has of
    /// its app.
    func notification(_ signedPayload: String) throws(SignedDataFault) -> GenuineNotification
}

/// Why signed data is not taken for the App Store's.
package struct SignedDataFault: Error, Equatable {
    /// The raw values name the fault in answers.
    package enum Code: String, CaseIterable, Sendable {
        /// It is no compact JWS.
        case malformed = "jws_malformed"
        /// It is not signed with ES256.
        case algorithm = "jws_algorithm"
        /// `x5c` has not exactly three certificates.
        case chainLength = "jws_chain_length"
        /// A certificate cannot be read.
        case certificateMalformed = "jws_certificate_malformed"
        /// A certificate lacks the extension by which Apple marks its purpose.
        case certificatePurpose = "jws_certificate_purpose"
        /// The certificates do not certify each other.
        case chainBroken = "jws_chain_broken"
        /// The chain ends at a root that is not trusted.
        case untrustedRoot = "jws_untrusted_root"
        /// A certificate was not valid when the data was signed.
        case chainExpired = "jws_chain_expired"
        /// The signature is not the certificate's over this payload: another key made it, or the payload was changed.
        case signatureInvalid = "jws_signature_invalid"
        /// The payload is signed, but of another form than it should be.
        case payloadMalformed = "jws_payload_malformed"
        /// The parts that were sent together do not belong together.
        case mixed = "jws_mixed"
        /// It is for an app or environment that is not in the catalog.
        case otherApp = "app_not_in_catalog"
    }

    package let code: Code
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

/// A notification as it is kept: its coming and its date, without anything about a customer.
package struct NotificationRecord: Equatable, Sendable {
    /// `notificationUUID`: one that was seen before changes nothing.
    package let id: String
    /// As it came, known or not.
    package let type: String
    package let subtype: String?
    package let bundleId: String
    package let environment: AppStoreEnvironment
    package let signedDate: Timestamp
    /// By the server's clock.
    package let receivedAt: Timestamp
    /// Whether what it says is merged though it was kept before.
    package let countsAgain: Bool

    package init(_ notification: AppleNotification, receivedAt: Timestamp, countsAgain: Bool = false) {
        self.countsAgain = countsAgain
        id = notification.id
        type = notification.type
        subtype = notification.subtype
        bundleId = notification.bundleId
        environment = notification.environment
        signedDate = notification.signedDate
        self.receivedAt = receivedAt
    }
}
