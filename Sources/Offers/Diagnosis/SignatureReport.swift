/// The values that an app gave StoreKit when StoreKit refused them: the account of one buy request.
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
    /// The bytes that were signed; `nil` where they are not known.
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

    /// Whether the timestamp that was given is in seconds.
    var isInSeconds: Bool { Self.isInSeconds(timestamp) }

    /// The offer of the payment.
    var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId) }

    /// The fields that StoreKit composes from what it was given, in Apple's order.
    var fields: [String] {
        [
            bundleId, keyIdentifier, productId, offerId, account.payloadField, nonce.lowercased(), String(timestamp),
        ]
    }

    /// The bytes that StoreKit verifies the signature over.
    var composedPayload: [UInt8] { Array(fields.joined(separator: PayloadField.separator).utf8) }

    /// The moment that the timestamp means, whether it is in milliseconds or in seconds.
    package var moment: Timestamp { Timestamp(millisecondsSince1970: isInSeconds ? timestamp * 1000 : timestamp) }
}

// What differs between what StoreKit was given and what the service signed, where the ledger has the nonce: nothing has
// to be guessed then.

extension SignatureReport {
    /// The accounts that a backend may have asked for when the payment carries this one: the same in another case.
    ///
    /// Many clients lowercase what they set, so a name of few letters is tried in every mixture of cases: there is one
    /// digest to make for each, and no signature to verify.
    package var accountsToRecall: [Account] {
        switch account {
        case .none: return [account]
        case .appAccountToken(let token):
            return [account, .applicationUsername(token.lowercased.uppercased())]
        case .applicationUsername(let name):
            var accounts = [account]
            if let token = AppAccountToken(name) { accounts.append(.appAccountToken(token)) }
            let names = [name.lowercased(), name.uppercased()] + name.caseVariants(ofAtMost: Self.mostLettersToRecall)
            return accounts + names.map { .applicationUsername($0) }
        }
    }

    /// The most letters of a name that is recalled in every mixture of cases: a thousand mixtures.
    private static let mostLettersToRecall = 10

    /// Every field in which StoreKit was given something else than the service has signed.
    ///
    /// A cause has both values, but of accounts neither.
    func differences(from record: RecordedSignature) -> [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        func compare(_ code: DiagnosisCode, _ field: String, signed: String, given: String) {
            guard signed != given else { return }
            causes.append(
                DiagnosisCause(
                    code,
                    detail: "The service signed the \(field) \(signed) with this nonce; StoreKit was given \(given).",
                    fix: "Hand every value of the answer on as it is, and buy what was asked for."
                )
            )
        }
        if record.timestamp.millisecondsSince1970 != timestamp {
            let isSeconds = record.timestamp.millisecondsSince1970 / 1000 == timestamp
            let (signed, given) = (String(record.timestamp.millisecondsSince1970), String(timestamp))
            compare(isSeconds ? .timestampInSeconds : .unexplained, "timestamp", signed: signed, given: given)
        }
        if let cause = accountDifference(from: record) { causes.append(cause) }
        compare(.keyIdMismatch, "key id", signed: record.keyIdentifier, given: keyIdentifier)
        compare(.productMismatch, "product", signed: record.productId, given: productId)
        compare(.offerMismatch, "offer", signed: record.offerId, given: offerId)
        compare(.bundleMismatch, "bundle id", signed: record.bundleId, given: bundleId)
        return causes
    }

    private func accountDifference(from record: RecordedSignature) -> DiagnosisCause? {
        switch (record.account, account) {
        case (.none, .none): return nil
        case (.none, _):
            return DiagnosisCause(
                .accountMissing,
                detail: "The service signed no account with this nonce, and the payment has one.",
                fix: "Name the account when you ask for the signature, or set none on the payment."
            )
        case (_, .none):
            return DiagnosisCause(
                .accountUnexpected,
                detail: "The service signed an account with this nonce, and the payment has none.",
                fix: "Set the account of the answer on the payment."
            )
        case (.known(let signed), _):
            guard signed.payloadField != account.payloadField else { return nil }
            return DiagnosisCause(
                .accountCase,
                detail: "The service signed the account in another case with this nonce.",
                fix: "Set the account on the payment exactly as the answer has it."
            )
        case (.other, _):
            return DiagnosisCause(
                .accountUnexpected,
                detail: "The service signed another account with this nonce than the payment has.",
                fix: "Ask for a signature for the very account that the app sets on the payment."
            )
        }
    }
}

/// The ledger's record of a signature that left the service, found by its nonce.
package struct RecordedSignature: Equatable, Sendable {
    /// The account that was signed, as far as a digest shows.
    package enum SignedAccount: Equatable, Sendable {
        case none
        /// One of those that were asked about.
        case known(Account)
        case other
    }

    /// The client that asked for it.
    package let client: String
    package let bundleId: String
    package let keyIdentifier: String
    package let productId: String
    /// Empty for an introductory offer.
    package let offerId: String
    package let account: SignedAccount
    package let timestamp: Timestamp
    /// Whether it is the `discount` form; `nil` where that is not known.
    package let isDiscount: Bool?
    /// The subscription of the customer by which it was decided; `nil` where there was none.
    package let originalTransactionId: String?

    package init(
        client: String,
        bundleId: String,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: SignedAccount,
        timestamp: Timestamp,
        isDiscount: Bool? = nil,
        originalTransactionId: String? = nil
    ) {
        self.client = client
        self.bundleId = bundleId
        self.keyIdentifier = keyIdentifier
        self.productId = productId
        self.offerId = offerId
        self.account = account
        self.timestamp = timestamp
        self.isDiscount = isDiscount
        self.originalTransactionId = originalTransactionId
    }

    var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId) }
}

/// Finds what was signed: the port to the ledger for diagnoses.
package protocol SignatureRecall: Sendable {
    /// The signature with a nonce in lowercase; `nil` when none is on record, or the ledger cannot be read.
    ///
    /// The accounts are those that may have been signed: others are known by digests alone.
    func signature(nonce: String, accounts: [Account]) async -> RecordedSignature?
}
