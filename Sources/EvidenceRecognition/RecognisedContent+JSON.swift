import StrictJSON

extension RecognisedContent {
    /// Recognises JSON, by the names of its members.
    ///
    /// - Parameter json: The text of one JSON value; an unknown thing gives `nil`.
    package init?(json: [UInt8]) {
        guard let kind = Kind(json: json), kind != .otherJSON else { return nil }
        self.init(kind)
    }

    /// The names of an object's members, and the audience of a token.
    ///
    /// Of an array they are those of its first object.
    fileprivate struct Members {
        var names: Set<String> = []
        var audience: String?

        /// Whether one of these is there.
        func has(_ names: String...) -> Bool { !self.names.isDisjoint(with: names) }

        init?(_ json: [UInt8]) {
            var reader = JSONReader(json, refusesDuplicates: false)
            do throws(JSONFault) {
                switch try reader.nextType() {
                case .object: try read(&reader)
                case .array:
                    try reader.readArray { (index, reader) throws(JSONFault) in
                        let type = try reader.nextType()
                        if index == 0, type == .object { try self.read(&reader) } else { try reader.skipValue() }
                    }
                default: return nil
                }
                try reader.readEnd()
            } catch {
                return nil
            }
        }

        private mutating func read(_ reader: inout JSONReader) throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                names.insert(name)
                let type = try reader.nextType()
                if name == "aud", type == .string {
                    audience = try reader.readString()
                } else {
                    try reader.skipValue()
                }
            }
        }
    }
}

extension RecognisedContent.Kind {
    /// The kind of a JWS by its payload.
    ///
    /// - Parameter payload: The payload. One that is no JSON object gives `nil`.
    init?(signed payload: [UInt8]) {
        guard let members = RecognisedContent.Members(payload) else { return nil }
        switch members.audience {
        case "promotional-offer", "introductory-offer-eligibility", "advanced-commerce-api": self = .signedOffer
        case "appstoreconnect-v1": self = .bearerToken
        case nil where members.has("notificationType"): self = .notification
        case nil where members.has("requestIdentifier") && members.has("userLocale"): self = .retentionRequest
        case nil where members.isAppTransaction: self = .appTransaction
        case nil where members.isRenewalInfo: self = .renewalInfo
        case nil where members.isTransaction:
            self = members.has("bundleId") ? .transaction : .transactionWithoutBundleId
        default: self = .otherJWS
        }
    }

    /// What JSON is that nobody signed.
    ///
    /// - Parameter json: The text of one JSON value; anything else gives `nil`.
    init?(json: [UInt8]) {
        guard let members = RecognisedContent.Members(json) else { return nil }
        if members.has("notification_type", "unified_receipt") {
            self = .oldNotification
        } else if members.has("signedPayload") {
            self = .notificationBody
        } else if members.has("receipt-data") {
            self = .verifyReceiptRequest
        } else if members.has("signedTransactionInfo", "signedTransactions", "lastTransactions")
            || members.has("data") && members.has("bundleId")
        {
            self = .serverAPIAnswer
        } else if members.has("latest_receipt_info", "latest_receipt", "pending_renewal_info")
            || members.has("status") && members.names.isSubset(of: Self.membersOfStatus)
        {
            self = .verifyReceiptAnswer
        } else if members.has("in_app", "receipt_type", "receipt_creation_date_ms") {
            self = .receiptOfAnswer
        } else if members.isAppTransaction {
            self = .decodedAppTransaction
        } else if members.isRenewalInfo {
            self = .decodedRenewalInfo
        } else if members.isTransaction {
            self = .decodedTransaction
        } else {
            self = .otherJSON
        }
    }

    private static let membersOfStatus: Set = [
        "status", "environment", "receipt", "is-retryable", "is_retryable", "exception", "latest_expired_receipt_info",
        "auto_renew_status", "auto_renew_product_id", "expiration_intent", "is_in_billing_retry_period",
    ]
}

extension RecognisedContent.Members {
    fileprivate var isAppTransaction: Bool {
        has("receiptType", "originalApplicationVersion", "deviceVerification")
            || has("appTransactionId") && !has("originalTransactionId", "transactionId")
    }

    fileprivate var isRenewalInfo: Bool { has("autoRenewStatus", "autoRenewProductId") }

    fileprivate var isTransaction: Bool {
        has("transactionId") || has("originalTransactionId") && has("productId")
    }
}
