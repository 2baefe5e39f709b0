// What differs between what StoreKit was given and what the service signed, where the ledger has the nonce: nothing has
// to be guessed then.

extension SignatureReport {
    /// The accounts that a backend may have asked for when the payment carries this one: the same in another case.
    ///
    /// Many clients lowercase what they set, so a name of few letters is tried in every mixture of cases: there is one
    /// digest to make for each, and no signature to verify.
    public var accountsToRecall: [Account] {
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

    /// Of how many letters a name is recalled in every mixture of cases: a thousand mixtures.
    private static let mostLettersToRecall = 10

    /// Every field in which StoreKit was given something else than the service has signed.
    ///
    /// - Parameter record: What the service signed with this nonce.
    /// - Returns: A cause for each field, with both values; no account in it but the one that was sent.
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
