/// Finds out why StoreKit refused a signature, by recomputing what a backend may have signed.
package struct Diagnostician: Sendable {
    /// The report's app.
    let own: DiagnosableApp
    /// The other apps that the caller may ask about, with the keys that this one has not.
    let others: [DiagnosableApp]
    /// The scope in which the customer is known never to have had a subscription.
    let neverSubscribed: OfferScope?
    /// The service's signature with the report's nonce.
    let record: RecordedSignature?
    let now: Timestamp

    package init(
        of own: DiagnosableApp,
        beside others: [DiagnosableApp] = [],
        neverSubscribedIn neverSubscribed: OfferScope? = nil,
        record: RecordedSignature? = nil,
        now: Timestamp
    ) {
        let known = Set(own.verifiers.map(\.keyIdentifier))
        self.own = own
        self.others = others.map { other in
            DiagnosableApp(app: other.app, verifiers: other.verifiers.filter { !known.contains($0.keyIdentifier) })
        }
        self.neverSubscribed = neverSubscribed
        self.record = record
        self.now = now
    }

    /// By the ledger, by the payload where it is reported, else by search.
    package func diagnose(_ report: SignatureReport) -> Diagnosis {
        let text = SignatureText(report.signature)
        let isRight = own.verifiers.contains { key in
            guard let text, key.keyIdentifier == report.keyIdentifier else { return false }
            return key.isSignature(text.form, over: report.composedPayload, hashedBy: .sha256)
        }
        let certain = report.causes(in: text)
        let times = [record?.timestamp, report.moment]
        let differences = record.map { isRight || report.payload == nil ? report.differences(from: $0) : [] } ?? []
        if !differences.isEmpty, isRight {
            let others = circumstances(at: [report.moment], of: [report.offer], buying: report.productId)
            return Diagnosis(invalid: certain + others + [.nonceReused])
        }
        // Nothing of the payload has to be recomputed where the record says which fields differ.
        if let record, !differences.isEmpty {
            let offers = record.bundleId.hasSameBytes(as: own.app.bundleId) ? [record.offer] : []
            let others = certain + circumstances(at: times, of: offers, buying: report.productId)
            let named = Set(differences.map(\.code)).subtracting([.unexplained])
            return Diagnosis(invalid: differences + others.filter { !named.contains($0.code) })
        }
        guard let signed = signed(report, text, isRight: isRight) else {
            let others = certain + circumstances(at: times, of: [report.offer], buying: report.productId)
            let rest = record.map { goneKey(of: $0) ?? .otherSignature } ?? .unknownSignature
            return Diagnosis(invalid: others + [text == nil ? report.noSignature : rest])
        }
        var causes = signed.causes + certain
        causes += circumstances(
            at: times,
            of: [report.offer, signed.offer],
            signedFor: signed.bundleId,
            buying: report.productId
        )
        if signed.signer == nil { causes.append(text == nil ? report.noSignature : .unknownKey) }
        guard causes.isEmpty else { return Diagnosis(invalid: causes) }
        if let used = record?.usedCause { return Diagnosis(isValid: true, causes: [used]) }
        let rest = report.storeKitError.map { [DiagnosisCause.unexplained(by: $0, account: report.account)] } ?? []
        return Diagnosis(isValid: true, causes: rest)
    }

    /// The catalog lacks the key by which the service signed; `nil` where it has one of that identifier.
    func goneKey(of record: RecordedSignature) -> DiagnosisCause? {
        let id = record.keyIdentifier
        guard !own.verifiers.contains(where: { $0.keyIdentifier == id }) else { return nil }
        return DiagnosisCause(
            .unexplained,
            "The service signed these values with the key \(id), which the catalog no longer has, so that the signature "
                + "cannot be verified.",
            fix: "List the key's publicKeyFile under keys; if it was revoked, ask for a new signature."
        )
    }

    /// The signed payload: the right one, else the reported one, else one that the search finds.
    private func signed(_ report: SignatureReport, _ text: SignatureText?, isRight: Bool) -> PayloadComparison? {
        if isRight {
            let signer = Signer(keyIdentifier: report.keyIdentifier, hash: .sha256)
            return PayloadComparison(of: report, with: report.composedPayload, signedBy: signer)
        }
        if let payload = report.payload {
            var signed = PayloadComparison(of: report, with: payload, signedBy: nil)
            signed.signer = text.flatMap {
                signer(of: $0.form, over: [payload], naming: report.keyIdentifier, of: signed.bundleId)
            }
            return signed
        }
        let products = own.app.products(nearest: report.productId)
        let search = PayloadSearch(report: report, keys: own.verifiers, others: others, products: products)
        guard let text, let guess = search.found(for: text.form) else { return nil }
        return PayloadComparison(of: report, with: guess.payload, signedBy: guess.signer)
    }

    /// The key that signed one of the texts: a named one, else another of the app, or of the app that it is for.
    func signer(
        of signature: SignatureText.Form,
        over texts: [[UInt8]],
        naming keyIdentifier: String?,
        of bundleId: String?
    ) -> Signer? {
        let named = own.verifiers.filter { $0.keyIdentifier == keyIdentifier }
        let keys = named + own.verifiers.filter { $0.keyIdentifier != keyIdentifier }
        let foreign = others.first { $0.app.bundleId == bundleId }?.verifiers ?? []
        for hash in SignedHash.allCases {
            for (key, bundleId) in keys.map({ ($0, nil) }) + foreign.map({ ($0, bundleId) }) {
                for text in texts where key.isSignature(signature, over: text, hashedBy: hash) {
                    return Signer(keyIdentifier: key.keyIdentifier, hash: hash, bundleId: bundleId)
                }
                if Task.isCancelled { return nil }
            }
        }
        return nil
    }

    /// The faults beside the signature.
    ///
    /// Where another offer was signed than the report names, one of the two is a mistake: the catalog lacks nothing when it
    /// has the other. Both times count where StoreKit was given another one than is on record: it takes no wrong one.
    func circumstances(
        at moments: [Timestamp?],
        of offers: [OfferRequest],
        signedFor bundleId: String? = nil,
        buying productId: String
    ) -> [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        for moment in moments.compactMap(\.self) {
            if moment.adding(seconds: Discount.lifetimeSeconds) < now {
                causes.add(.timestampExpired, "The timestamp is older than 24 hours.")
            } else if now.adding(seconds: ClockSkew.toleratedSeconds) < moment {
                let detail = "The signature is dated ahead of the clock, which reads \(now.rfc3339)."
                causes.add(.timestampInFuture, detail)
            }
        }
        let signed = bundleId.map { id in others.map(\.app).filter { $0.bundleId.hasSameBytes(as: id) } } ?? []
        let isListed = offers.contains { offer in
            ([own.app] + signed).contains { app in
                let product = app.product(offer.productId)?.product
                return offer.offerId.isEmpty ? product != nil : product?.offer(offer.offerId) != nil
            }
        }
        causes.add(.offerNotInCatalog, isListed ? nil : offers.first.map { own.app.phrase(forMissing: $0) })
        if let neverSubscribed {
            let group = neverSubscribed == .group ? own.app.product(productId)?.group : nil
            let scope = group.map { "group \($0.id)" } ?? "the app"
            causes.add(.neverSubscribed, "The customer never had a subscription of \(scope).")
        }
        return causes
    }
}

extension DiagnosisCause {
    static let timestampInSeconds = DiagnosisCause(.timestampInSeconds, "The timestamp is in seconds.")

    static let nonceReused = DiagnosisCause(
        .nonceReused,
        "The service has signed something else with this nonce, so it is no new one."
    )

    /// All values are those on record.
    fileprivate static let otherSignature = DiagnosisCause(
        .unexplained,
        "All values are those that the service signed with this nonce, and the key that the catalog has by this id did "
            + "not make this signature.",
        fix: "Hand on the signature of the decision that the nonce is from, as it is: each decision of an answer has "
            + "its own."
    )

    /// None of the app's keys signed the reported payload.
    fileprivate static let unknownKey = DiagnosisCause(
        .wrongKey,
        "None of the app's keys has signed this payload: another key made the signature, or it is over other bytes.",
        fix: "Sign with the key whose identifier StoreKit is given, check that the catalog lists it and that its P8 "
            + "file is whole, and report the very bytes that were signed."
    )

    /// The search has found nothing.
    fileprivate static let unknownSignature = DiagnosisCause(
        .unexplained,
        "The signature is by none of the app's keys for these values, nor for what one of the mistakes that are looked "
            + "for would have made of them.",
        fix: "Report the bytes that were signed as payload, in Base64: every mistake in them is found then. "
            + DiagnosisCode.unexplained.fix
    )
}

extension SignatureReport {
    /// The certain faults of the values that the app gave StoreKit, whatever was signed.
    fileprivate func causes(in text: SignatureText?) -> [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        for code in text?.mistakes ?? [] { causes.add(code, TextMistake.table.first { $0.code == code }?.detail) }
        if case .raw = text?.form { causes.add(.signatureRawNotDER, "The signature is the raw r and s, 64 bytes.") }
        // Seconds given to StoreKit are wrong even where the payload has them, too.
        if isInSeconds { causes.append(.timestampInSeconds) }
        causes.add(
            .unexplained,
            AppAccountToken(nonce) == nil
                ? "The nonce is no UUID of 8-4-4-4-12 hexadecimal digits, and StoreKit takes nothing else." : nil,
            fix: "Make a new random UUID for every signature, sign its text in lowercase, and hand that on."
        )
        return causes
    }

    fileprivate var noSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            signature.isEmpty
                ? "The signature is empty."
                : "The signature is no signature: neither ASN.1 DER nor 64 bytes, however it is decoded.",
            fix: "Hand on the signature whole, in standard Base64."
        )
    }
}
