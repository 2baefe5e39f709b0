/// A reported JWS beside all that is known of it, for the rows of ``ClaimMistake/table``.
struct JWSCase: Sendable {
    let report: JWSReport
    let jws: ReportedJWS
    /// `nil` where none of the caller's keys signed it.
    let signer: Signer?
    /// Of the signing key; `nil` if the catalog does not name one.
    let issuerId: String?
    /// The service's signature with its nonce.
    let record: RecordedSignature?
    let purchase: ReportedPurchase?
    /// Further identifiers of the customer, beside those of the report.
    let customerIds: Set<String>

    var isES256: Bool { jws.header?["alg"] == .text("ES256") }

    var isForItsUse: Bool { jws.claims?["aud"] == .text(report.audience) }

    /// Whether the record is of this very JWS.
    var isOnRecord: Bool {
        guard let record else { return false }
        return record.isDiscount != true && record.timestamp == jws.moment
            && record.keyIdentifier.hasSameBytes(as: jws.keyIdentifier ?? "")
            && record.bundleId.hasSameBytes(as: jws.text("bid") ?? "") && record.offer == signedOffer
    }

    var signedOffer: OfferRequest {
        OfferRequest(productId: jws.text("productId") ?? "", offerId: jws.text("offerIdentifier") ?? "")
    }

    /// The intended word on the introductory offer: `true` also if the purchase came to none; `nil` if not known.
    var expectedAllowance: Bool? {
        guard report.offerId == nil else { return nil }
        return report.allowIntroductoryOffer ?? (purchase.map { $0.offer == nil } == true ? true : nil)
    }

    /// A sentence where a claim is another one than expected; none where it is missing or a placeholder.
    func mismatch(_ claim: String, _ expected: String?) -> [String] {
        guard let expected, let value = jws.claims?[claim], !value.isPlaceholder else { return [] }
        // A claim of another type is named as such.
        if value.asText == nil, Self.texts.contains(claim) { return [] }
        if value.asText?.hasSameBytes(as: expected) == true { return [] }
        return ["The claim \(claim) is \(value.phrase), not \(expected)."]
    }

    /// A sentence for each claim of a wrong type.
    var wrongTypes: [String] {
        func wrong(_ claim: String, _ what: String, _ isRight: (JWSValue) -> Bool) -> String? {
            guard let value = jws.claims?[claim], !value.isPlaceholder, !isRight(value) else { return nil }
            return "The claim \(claim), \(value.phrase), \(what)."
        }
        let texts = Self.texts.map { claim in
            wrong(claim, "is no text") { if case .text = $0 { true } else { false } }
        }
        let others = [
            wrong("iat", "is no number of seconds") { if case .text = $0 { false } else { $0.asInteger != nil } },
            wrong("allowIntroductoryOffer", "is neither true nor false") { if case .flag = $0 { true } else { false } },
        ]
        return (texts + others).compactMap(\.self)
    }

    var requiredClaims: [String] {
        let own = report.offerId == nil ? ["allowIntroductoryOffer", "transactionId"] : ["offerIdentifier"]
        return ["bid", "productId"] + own + ["nonce", "iat"]
    }

    /// The claims whose values are texts.
    static let texts = ["bid", "productId", "offerIdentifier", "transactionId", "nonce"]

    /// Whether nothing shows the transaction to be the customer's, though one of theirs is known.
    var isOfAnotherCustomer: Bool {
        guard let value = jws.claims?["transactionId"], !value.isPlaceholder, let claim = value.asText else {
            return false
        }
        let named = (purchase?.customerIds ?? []).union([report.transactionId].compactMap(\.self))
        if named.isEmpty { return false }
        let known = named.union(customerIds)
        if known.contains(claim) { return false }
        guard isOnRecord, let record else { return true }
        // The service took it from the evidence of the customer that it signed for.
        if let id = record.originalTransactionId, known.contains(id) { return false }
        return report.account == .none || record.account != .known(report.account)
    }
}

extension Diagnostician {
    /// Finds out why a JWS was refused, or why it did not bring its offer.
    package func diagnose(
        _ report: JWSReport,
        _ jws: ReportedJWS,
        purchase: ReportedPurchase? = nil,
        customerIds: Set<String> = []
    ) -> Diagnosis {
        let signer = jws.signature.flatMap {
            self.signer(of: $0, over: jws.signedTexts, naming: jws.keyIdentifier, of: jws.text("bid"))
        }
        let found = JWSCase(
            report: report,
            jws: jws,
            signer: signer,
            issuerId: signer.flatMap { issuerIds[$0.keyIdentifier] } ?? jws.keyIdentifier.flatMap { issuerIds[$0] }
                ?? verifiers.lazy.compactMap { issuerIds[$0.keyIdentifier] }.first,
            record: record,
            purchase: purchase,
            customerIds: customerIds
        )
        var causes = ClaimMistake.table.flatMap { mistake in
            mistake.sentences(found).map { DiagnosisCause(mistake.code, detail: $0, fix: mistake.fix) }
        }
        if let moment = jws.moment { causes += DiagnosisCause.times(of: moment, at: now) }
        causes += unlisted(offers(of: found), in: catalogs(besides: jws.text("bid") ?? ""))
        if report.offerId != nil { causes += customer(of: report.productId) }
        if signer == nil, jws.malformed.isEmpty, found.isES256 { causes += changes(in: found, besides: causes) }
        guard causes.isEmpty else { return Diagnosis(isValid: false, causes: causes.likeliestFirst) }
        return Diagnosis(isValid: true, causes: found.rest)
    }

    /// The catalog has to have one of them; an introductory offer is its product's.
    private func offers(of found: JWSCase) -> [OfferRequest] {
        let signed = found.signedOffer
        let isSigned = !signed.productId.isEmpty && found.isForItsUse
        return [found.report.offer] + (isSigned ? [signed] : [])
    }

    /// None of the keys signed the JWS: the record may show what was changed.
    private func changes(in found: JWSCase, besides causes: [DiagnosisCause]) -> [DiagnosisCause] {
        let named = Set(causes.map(\.code))
        guard let record else {
            return [
                DiagnosisCause(
                    .unexplained,
                    detail: "The signature is by none of the app's keys over this header and these claims.",
                    fix:
                        "Check that the catalog lists the key that signed, that its P8 file is whole, and that nothing "
                        + "changed the JWS after it was signed."
                )
            ]
        }
        let differences = found.differences(from: record)
        guard differences.isEmpty else { return differences.filter { !named.contains($0.code) } }
        return [
            DiagnosisCause(
                .unexplained,
                detail: "The claims are those that the service signed with this nonce, and this is not the JWS that it "
                    + "gave for them.",
                fix: "Hand on the JWS of the answer as it is, without reading and writing it anew."
            )
        ]
    }
}

extension JWSCase {
    fileprivate func differences(from record: RecordedSignature) -> [DiagnosisCause] {
        let offer = record.offerId.isEmpty ? nil : jws.text("offerIdentifier")
        let seconds = String(record.timestamp.millisecondsSince1970 / 1000)
        let issuedAt = jws.isInMilliseconds ? nil : jws.issuedAt.map { String($0) }
        let values: [(DiagnosisCode, String, signed: String, given: String?)] = [
            (.keyIdMismatch, "kid", record.keyIdentifier, jws.keyIdentifier),
            (.productMismatch, "productId", record.productId, jws.text("productId")),
            (.offerMismatch, "offerIdentifier", record.offerId, offer),
            (.bundleMismatch, "bid", record.bundleId, jws.text("bid")),
            (.unexplained, "iat", seconds, issuedAt),
        ]
        return values.compactMap { RecordedSignature.difference($0, "the JWS has", of: "the JWS") }
    }

    /// The cause when all is right: the outcome of the purchase, or the checks that remain.
    fileprivate var rest: [DiagnosisCause] {
        if isOnRecord, let used = record?.usedCause { return [used] }
        if let purchase, jws.claims?["allowIntroductoryOffer"] != .flag(false), !hasOffer(purchase) {
            return [offerNotApplied(to: purchase)]
        }
        return report.storeKitError.map { [.unexplained(by: $0, account: .none)] } ?? []
    }

    private func hasOffer(_ purchase: ReportedPurchase) -> Bool {
        guard let offerId = report.offerId else { return purchase.offer == .introductory }
        return purchase.offer?.catalogId?.hasSameBytes(as: offerId) == true
    }

    private func offerNotApplied(to purchase: ReportedPurchase) -> DiagnosisCause {
        let option =
            report.offerId == nil
            ? "introductoryOfferEligibility(compactJWS:)" : "promotionalOffer(_:compactJWS:)"
        let offer =
            purchase.offer.map { "another offer, \($0.identifier.isEmpty ? "of type \($0.type)" : $0.identifier)" }
            ?? "no offer"
        let other =
            purchase.productId.hasSameBytes(as: report.productId)
            ? "" : " It is of the product \(purchase.productId), which runs on until the change takes effect."
        return DiagnosisCause(
            .offerNotApplied,
            detail: "The JWS is right, and the purchase has \(offer): the app did not pass the JWS on, or the offer is "
                + "not live.\(other)",
            fix:
                "Check, in this order: that the app hands the JWS to this purchase, as \(option) among its options, also "
                + "through a wrapper library; that the offer is set up in App Store Connect on this product and billing "
                + "plan, in the customer's storefront; that the customer's Apple Account, in this environment, is "
                + "eligible for it still; and that no offer of the group ran already."
        )
    }
}
