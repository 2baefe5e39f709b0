/// The values that an app gave StoreKit when StoreKit refused them.
package struct SignatureReport: Equatable, Sendable {
    package let bundleId: String
    package let keyIdentifier: String
    package let productId: String
    package let offerId: String
    package let account: Account
    /// As the backend handed it on, in whatever case.
    package let nonce: String
    /// Milliseconds, if all is right.
    package let timestamp: Int64
    /// Base64, if all is right.
    package let signature: String
    /// `nil` where the signed bytes are not known.
    package let payload: [UInt8]?
    package let storeKitError: ReportedError?

    package init(
        bundleId: String,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: Account,
        nonce: String,
        timestamp: Int64,
        signature: String,
        payload: [UInt8]? = nil,
        storeKitError: ReportedError? = nil
    ) {
        self.bundleId = bundleId
        self.keyIdentifier = keyIdentifier
        self.productId = productId
        self.offerId = offerId
        self.account = account
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
        self.payload = payload
        self.storeKitError = storeKitError
    }
}

extension SignatureReport {
    /// A timestamp after 1970 and below this one is in seconds: in milliseconds it would be of the year 1973.
    static let firstMillisecondTimestamp: UInt64 = 100_000_000_000

    static func isInSeconds(_ timestamp: Int64) -> Bool {
        timestamp > 0 && timestamp.magnitude < firstMillisecondTimestamp
    }

    var isInSeconds: Bool { Self.isInSeconds(timestamp) }

    package var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId) }

    /// As StoreKit composes them of its values, in Apple's order.
    var fields: [String] {
        [
            bundleId, keyIdentifier, productId, offerId, account.payloadField, nonce.lowercased(), String(timestamp),
        ]
    }

    /// The bytes that StoreKit verifies the signature over.
    var composedPayload: [UInt8] { Array(fields.joined(separator: PayloadField.separator).utf8) }

    package var moment: Timestamp { Timestamp(millisecondsSince1970: isInSeconds ? timestamp * 1000 : timestamp) }
}

// Nothing has to be guessed if the ledger has the nonce.

extension SignatureReport {
    /// A cause has both values, but of accounts neither.
    func differences(from record: RecordedSignature) -> [DiagnosisCause] {
        let milliseconds = record.timestamp.millisecondsSince1970
        let timeCode = milliseconds / 1000 == timestamp ? DiagnosisCode.timestampInSeconds : .unexplained
        let values: [(DiagnosisCode, String, signed: String, given: String?)] = [
            (timeCode, "timestamp", String(milliseconds), String(timestamp)),
            (.keyIdMismatch, "key id", record.keyIdentifier, keyIdentifier),
            (.productMismatch, "product", record.productId, productId),
            (.offerMismatch, "offer", record.offerId, offerId),
            (.bundleMismatch, "bundle id", record.bundleId, bundleId),
        ]
        let causes = values.compactMap { RecordedSignature.difference($0, "StoreKit was given", of: "every value") }
        return causes + [accountDifference(from: record)].compactMap(\.self)
    }

    private func accountDifference(from record: RecordedSignature) -> DiagnosisCause? {
        let (code, words): (DiagnosisCode, String)
        switch (record.account, account) {
        case (.none, .none): return nil
        case (.none, _): (code, words) = (.accountMissing, "no account with this nonce, and the payment has one")
        case (_, .none): (code, words) = (.accountUnexpected, "an account with this nonce, and the payment has none")
        case (.known(let signed), _):
            guard signed.payloadField != account.payloadField else { return nil }
            (code, words) = (.accountCase, "the account in another case with this nonce")
        case (.other, _):
            (code, words) = (.accountUnexpected, "another account with this nonce than the payment has")
        }
        let fix = "Ask for a signature for the very account of the payment, and set it exactly as the answer has it."
        return DiagnosisCause(code, "The service signed \(words).", fix: fix)
    }
}

extension RecordedSignature {
    /// A value that is another one than was signed; none where it is missing.
    static func difference(
        _ value: (code: DiagnosisCode, name: String, signed: String, given: String?),
        _ holder: String,
        of handedOn: String
    ) -> DiagnosisCause? {
        guard let given = value.given, value.signed != given else { return nil }
        return DiagnosisCause(
            value.code,
            "The service signed the \(value.name) \(value.signed) with this nonce; \(holder) \(given.isEmpty ? "nothing" : given).",
            fix: "Hand \(handedOn) of the answer on as it is, and buy what was asked for."
        )
    }
}

/// The ledger's record of a signature that left the service, found by its nonce.
package struct RecordedSignature: Equatable, Sendable {
    /// As far as a digest shows.
    package enum SignedAccount: Equatable, Sendable {
        case none
        /// One of those that were asked about.
        case known(Account)
        case other
    }

    /// A redemption that the signature made possible.
    package struct Use: Equatable, Sendable {
        /// `nil` where nobody said when.
        package let redeemedAt: Timestamp?

        package init(redeemedAt: Timestamp?) { self.redeemedAt = redeemedAt }
    }

    package let bundleId: String
    package let keyIdentifier: String
    package let productId: String
    /// Empty for an introductory offer.
    package let offerId: String
    package let account: SignedAccount
    package let timestamp: Timestamp
    /// Whether it is the `discount` form; `nil` where that is not known.
    package let isDiscount: Bool?
    /// The subscription that decided; `nil` where there was none.
    package let originalTransactionId: String?
    /// `nil` where no redemption is on record.
    package let use: Use?

    package init(
        bundleId: String,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: SignedAccount,
        timestamp: Timestamp,
        isDiscount: Bool? = nil,
        originalTransactionId: String? = nil,
        use: Use? = nil
    ) {
        self.bundleId = bundleId
        self.keyIdentifier = keyIdentifier
        self.productId = productId
        self.offerId = offerId
        self.account = account
        self.timestamp = timestamp
        self.isDiscount = isDiscount
        self.originalTransactionId = originalTransactionId
        self.use = use
    }

    /// Why StoreKit takes the signature no more; `nil` where it was not used.
    var usedCause: DiagnosisCause? {
        use.map { use in
            let moment = use.redeemedAt.map { ", \($0.rfc3339)" } ?? ""
            return DiagnosisCause(.signatureUsed, "The signature was used: the offer was redeemed with it\(moment).")
        }
    }

    var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId) }
}

/// Finds what was signed: the port to the ledger for diagnoses.
package protocol SignatureRecall: Sendable {
    /// Takes a nonce in lowercase, and the accounts that may have been signed: others are known by digests alone.
    ///
    /// `nil` also when the ledger cannot be read.
    func signature(nonce: String, accounts: [Account]) async -> RecordedSignature?
}
