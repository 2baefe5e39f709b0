/// Finds out why StoreKit refused a signature, by recomputing what a backend may have signed.
package struct Diagnostician: Sendable {
    let app: App
    let verifiers: [any SignatureVerifier]
    /// By the key's identifier, where the catalog names one.
    let issuerIds: [String: String]
    /// Of the other apps that the caller may ask about.
    let otherBundleIds: [String]
    /// Empty if nothing is to be said of their catalogs.
    let otherApps: [App]
    /// Keys of those apps that this one has not, by bundle identifier.
    let otherKeys: [String: [any SignatureVerifier]]
    /// The scope in which the customer is known never to have had a subscription.
    let neverSubscribed: OfferScope?
    /// The service's signature with the report's nonce.
    let record: RecordedSignature?
    let now: Timestamp

    package init(
        app: App,
        verifiers: [any SignatureVerifier],
        issuerIds: [String: String] = [:],
        otherBundleIds: [String],
        otherApps: [App] = [],
        otherKeys: [String: [any SignatureVerifier]] = [:],
        neverSubscribedIn neverSubscribed: OfferScope? = nil,
        record: RecordedSignature? = nil,
        now: Timestamp
    ) {
        self.app = app
        self.verifiers = verifiers
        self.issuerIds = issuerIds
        self.otherBundleIds = otherBundleIds
        self.otherApps = otherApps
        self.otherKeys = otherKeys
        self.neverSubscribed = neverSubscribed
        self.record = record
        self.now = now
    }

    /// By the ledger, by the payload where it is reported, else by search.
    package func diagnose(_ report: SignatureReport) -> Diagnosis {
        let text = SignatureText(report.signature)
        let isRight = verifiers.contains { key in
            guard let text, key.keyIdentifier == report.keyIdentifier else { return false }
            return key.isSignature(text.form, over: report.composedPayload, hashedBy: .sha256)
        }
        if let record, isRight || report.payload == nil, !report.differences(from: record).isEmpty {
            return isRight ? diagnosis(ofReused: report, text) : diagnosis(of: report, text, from: record)
        }
        let certain = report.causes(in: text)
        guard let signed = signed(report, text, isRight: isRight) else {
            let others = certain + circumstances(of: report, among: [report.offer], in: [app])
            let rest = text == nil ? report.noSignature : record == nil ? report.unexplained : report.otherSignature
            return Diagnosis(isValid: false, causes: (others + [rest]).likeliestFirst)
        }
        let catalogs = catalogs(besides: signed.bundleId)
        let offers = catalogs.isEmpty ? [] : [report.offer, signed.offer]
        var causes = signed.causes + certain + circumstances(of: report, among: offers, in: catalogs)
        if signed.signer == nil { causes.append(text == nil ? report.noSignature : report.unknownKey) }
        guard causes.isEmpty else { return Diagnosis(isValid: false, causes: causes.likeliestFirst) }
        if let used = record?.usedCause { return Diagnosis(isValid: true, causes: [used]) }
        let rest = report.storeKitError.map { [DiagnosisCause.unexplained(by: $0, account: report.account)] } ?? []
        return Diagnosis(isValid: true, causes: rest)
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
        let search = PayloadSearch(
            report: report,
            keys: verifiers,
            otherBundleIds: otherBundleIds,
            products: app.products(nearest: report.productId),
            otherKeys: otherKeys
        )
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
        let own =
            verifiers.filter { $0.keyIdentifier == keyIdentifier }
            + verifiers.filter { $0.keyIdentifier != keyIdentifier }
        let others = bundleId.flatMap { otherKeys[$0] } ?? []
        for hash in SignedHash.allCases {
            for (key, bundleId) in own.map({ ($0, nil) }) + others.map({ ($0, bundleId) }) {
                for text in texts where key.isSignature(signature, over: text, hashedBy: hash) {
                    return Signer(keyIdentifier: key.keyIdentifier, hash: hash, bundleId: bundleId)
                }
                if Task.isCancelled { return nil }
            }
        }
        return nil
    }

    /// Nothing of the payload has to be recomputed where the record says which fields differ.
    private func diagnosis(
        of report: SignatureReport,
        _ text: SignatureText?,
        from record: RecordedSignature
    ) -> Diagnosis {
        let differences = report.differences(from: record)
        let named = Set(differences.map(\.code))
        let isOwn = record.bundleId.hasSameBytes(as: app.bundleId)
        let others = report.causes(in: text) + circumstances(of: report, among: isOwn ? [record.offer] : [], in: [app])
        let causes = differences + others.filter { $0.code == .unexplained || !named.contains($0.code) }
        return Diagnosis(isValid: false, causes: causes.likeliestFirst)
    }

    /// The nonce is on record, and the signature is right for other values.
    private func diagnosis(ofReused report: SignatureReport, _ text: SignatureText?) -> Diagnosis {
        let others =
            report.causes(in: text) + DiagnosisCause.times(of: report.moment, at: now) + customer(of: report.productId)
            + unlisted([report.offer], in: [app])
        return Diagnosis(isValid: false, causes: (others + [.nonceReused]).likeliestFirst)
    }

    /// The report's app, and the one that was signed for; none where the catalog of that one is not known.
    func catalogs(besides bundleId: String) -> [App] {
        guard otherBundleIds.contains(bundleId) else { return [app] }
        return otherApps.first { $0.bundleId.hasSameBytes(as: bundleId) }.map { [app, $0] } ?? []
    }

    /// The faults beside the signature.
    ///
    /// Where another offer was signed than the report names, one of the two is a mistake: the catalog lacks nothing when it
    /// has the other. Both times count where StoreKit was given another one than is on record: it takes no wrong one.
    private func circumstances(
        of report: SignatureReport,
        among offers: [OfferRequest],
        in catalogs: [App]
    ) -> [DiagnosisCause] {
        let moments = [record?.timestamp, report.moment].compactMap(\.self)
        return moments.flatMap { DiagnosisCause.times(of: $0, at: now) } + unlisted(offers, in: catalogs)
            + customer(of: report.productId)
    }

    func unlisted(_ offers: [OfferRequest], in catalogs: [App]) -> [DiagnosisCause] {
        let isKnown = offers.contains { offer in
            catalogs.contains { app in
                let product = app.product(offer.productId)?.product
                return offer.offerId.isEmpty ? product != nil : product?.offer(offer.offerId) != nil
            }
        }
        guard !isKnown, let offer = offers.first else { return [] }
        return [
            DiagnosisCause(
                .offerNotInCatalog,
                detail: app.phrase(forMissing: offer),
                fix: "Compare both with App Store Connect, and add the offer to the catalog."
            )
        ]
    }

    func customer(of productId: String) -> [DiagnosisCause] {
        guard let neverSubscribed else { return [] }
        let group = neverSubscribed == .group ? app.product(productId)?.group : nil
        return [
            DiagnosisCause(
                .neverSubscribed,
                detail: "The customer never had a subscription of \(group.map { "group \($0.id)" } ?? "the app").",
                fix: "Offer the introductory price instead."
            )
        ]
    }
}

extension DiagnosisCause {
    static let nonceReused = DiagnosisCause(
        .nonceReused,
        detail: "The service has signed something else with this nonce, so it is no new one.",
        fix: "Make a new random UUID for every signature, and use each signature for one purchase."
    )

    /// The faults of a moment that was signed, or that StoreKit was given.
    static func times(of moment: Timestamp, at now: Timestamp) -> [DiagnosisCause] {
        if moment.adding(seconds: Discount.lifetimeSeconds) < now {
            return [
                DiagnosisCause(
                    .timestampExpired,
                    detail: "The timestamp is older than 24 hours.",
                    fix: "Ask for a signature when the customer is about to buy, and use it once."
                )
            ]
        }
        guard now.adding(seconds: ClockSkew.toleratedSeconds) < moment else { return [] }
        return [
            DiagnosisCause(
                .timestampInFuture,
                detail: "The signature is dated ahead of the clock, which reads \(now.rfc3339).",
                fix: "Set the clock of the machine that signs, and count in the unit that Apple asks for."
            )
        ]
    }
}

extension SignatureReport {
    /// The certain faults of the values that the app gave StoreKit, whatever was signed.
    func causes(in text: SignatureText?) -> [DiagnosisCause] {
        var causes =
            text?.mistakes.compactMap { code in
                TextMistake.table.first { $0.code == code }.map { DiagnosisCause(code, detail: $0.detail, fix: $0.fix) }
            } ?? []
        if case .raw = text?.form {
            causes.append(
                DiagnosisCause(
                    .signatureRawNotDER,
                    detail: "The signature is the raw r and s, 64 bytes.",
                    fix: "Encode the signature as ASN.1 DER; only the JWS format takes it raw."
                )
            )
        }
        // Seconds given to StoreKit are wrong even where the payload has them, too.
        if isInSeconds { causes.append(.timestampInSeconds) }
        if AppAccountToken(nonce) == nil {
            causes.append(
                DiagnosisCause(
                    .unexplained,
                    detail: "The nonce is no UUID of 8-4-4-4-12 hexadecimal digits, and StoreKit takes nothing else.",
                    fix: "Make a new random UUID for every signature, sign its text in lowercase, and hand that on."
                )
            )
        }
        return causes
    }

    var noSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: signature.isEmpty
                ? "The signature is empty."
                : "The signature is no signature: neither ASN.1 DER nor 64 bytes, however it is decoded.",
            fix: "Hand on the signature whole, in standard Base64."
        )
    }

    /// All values are those on record.
    var otherSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: "All values are those that the service signed with this nonce, and this is not the signature that "
                + "it gave for them.",
            fix: "Hand on the signature of the decision that the nonce is from, as it is: each decision of an answer "
                + "has its own."
        )
    }

    /// None of the app's keys signed the reported payload.
    var unknownKey: DiagnosisCause {
        DiagnosisCause(
            .wrongKey,
            detail: "None of the app's keys has signed this payload: another key made the signature, or it is over "
                + "other bytes.",
            fix:
                "Sign with the key whose identifier StoreKit is given, check that the catalog lists it and that its P8 "
                + "file is whole, and report the very bytes that were signed."
        )
    }

    /// The search has found nothing.
    var unexplained: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail:
                "The signature is by none of the app's keys for these values, nor for what one of the mistakes that "
                + "are looked for would have made of them.",
            fix: "Report the bytes that were signed as payload, in Base64: every mistake in them is found then. Check "
                + "that the catalog lists the key that signed, and that its P8 file is whole."
        )
    }
}
