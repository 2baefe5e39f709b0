import Offers

extension LedgerEntry {
    /// An entry of one request for an offer, as many times as wanted.
    static func of(
        account: String = "reader-1",
        customer: String? = nil,
        offer: String = "comeback50",
        count: Int = 1,
        originalTransactionId: String? = "1000",
        otherIds: [String] = [],
        forms: [SignatureForm] = [.discount],
        limit: Int? = nil,
        maximumAccounts: Int? = nil,
        at time: Timestamp
    ) -> LedgerEntry {
        let account: Account = account.isEmpty ? .none : .applicationUsername(account)
        return LedgerEntry(
            time: time,
            client: "backend",
            bundleId: "com.example.reader",
            environment: .production,
            evidence: .receiptResponse,
            account: account,
            customer: customer ?? account.customer(by: nil),
            grants: (0..<count).map { _ in
                OfferGrant(
                    offer: OfferRequest(productId: "monthly", offerId: offer),
                    reason: Reason.lapsed.rawValue,
                    originalTransactionId: originalTransactionId,
                    otherIds: otherIds,
                    signatures: forms.map {
                        .init(form: $0, keyIdentifier: "KEY1234567", nonce: Nonce(), timestamp: time)
                    },
                    signatureLimit: limit.map { SignatureLimit(maximumSignaturesPerCustomer: $0) },
                    maximumAccounts: maximumAccounts
                )
            }
        )
    }
}

extension LedgerQuestion {
    /// A question about the signatures of an offer, if there is a limit, and about the presentations of subscriptions.
    static func of(
        _ customer: String?,
        limit: Int? = nil,
        decidedBy decider: String = "1000",
        ids: [String] = [],
        otherIds: [String: [String]] = [:],
        at now: Timestamp
    ) -> LedgerQuestion {
        let offer = OfferRequest(productId: "monthly", offerId: "comeback50")
        var question = LedgerQuestion(
            bundleId: "com.example.reader",
            environment: .production,
            customer: customer,
            now: now,
            offers: limit.map { [(offer, SignatureLimit(maximumSignaturesPerCustomer: $0), decider)] } ?? [],
            originalTransactionIds: ids
        )
        question.otherIds = otherIds
        return question
    }
}
