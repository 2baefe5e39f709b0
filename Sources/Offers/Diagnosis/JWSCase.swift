/// A reported JWS beside all that is known of it, for ``mistakes``.
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
        let named = [signer?.keyIdentifier, jws.keyIdentifier].compactMap(\.self)
        let found = JWSCase(
            report: report,
            jws: jws,
            signer: signer,
            issuerId: (named + own.verifiers.map(\.keyIdentifier)).lazy.compactMap { own.issuerIds[$0] }.first,
            record: record,
            purchase: purchase,
            customerIds: customerIds
        )
        var causes = found.mistakes
        // The catalog has to have one of them; an introductory offer is its product's.
        let isSigned = !found.signedOffer.productId.isEmpty && found.isForItsUse
        causes += circumstances(
            at: [jws.moment],
            of: [report.offer] + (isSigned ? [found.signedOffer] : []),
            signedFor: jws.text("bid"),
            buying: report.productId
        )
        if signer == nil, jws.malformed.isEmpty, found.isES256 {
            causes += found.changes(besides: causes, record.flatMap(goneKey))
        }
        guard causes.isEmpty else { return Diagnosis(invalid: causes) }
        return Diagnosis(isValid: true, causes: found.rest)
    }
}

extension JWSCase {
    /// None of the keys signed the JWS: the record may show what was changed.
    fileprivate func changes(besides causes: [DiagnosisCause], _ goneKey: DiagnosisCause?) -> [DiagnosisCause] {
        guard let record else {
            let fix =
                "Check that the catalog lists the key that signed, that its P8 file is whole, and that nothing changed "
                + "the JWS after it was signed."
            let detail = "The signature is by none of the app's keys over this header and these claims."
            return [DiagnosisCause(.unexplained, detail, fix: fix)]
        }
        let differences = differences(from: record)
        let named = Set(causes.map(\.code))
        guard differences.isEmpty else { return differences.filter { !named.contains($0.code) } }
        return [
            goneKey
                ?? DiagnosisCause(
                    .unexplained,
                    "The claims are those that the service signed with this nonce, and the key that the catalog has by this "
                        + "id did not sign this JWS.",
                    fix: "Hand on the JWS of the answer as it is, without reading and writing it anew."
                )
        ]
    }

    private func differences(from record: RecordedSignature) -> [DiagnosisCause] {
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
        let isIntroductory = report.offerId == nil
        let option =
            isIntroductory ? "introductoryOfferEligibility(compactJWS:)" : "promotionalOffer(_:compactJWS:)"
        let offer =
            purchase.offer.map { "another offer, \($0.identifier.isEmpty ? "of type \($0.type)" : $0.identifier)" }
            ?? "no offer"
        let other =
            purchase.productId.hasSameBytes(as: report.productId)
            ? "" : " It is of the product \(purchase.productId), which runs on until the change takes effect."
        return DiagnosisCause(
            .offerNotApplied,
            "The JWS is right, and the purchase has \(offer): the app did not pass the JWS on, or the offer is not live."
                + other,
            fix: "Check, in this order: that the app hands the JWS to this purchase, as \(option) among its options, "
                + "also through a wrapper library; that the offer is set up in App Store Connect on this product and "
                + "billing plan, in the customer's storefront; that the customer's Apple Account, in this "
                + "environment, is eligible for it still; and that no offer of the group ran already."
        )
    }
}
