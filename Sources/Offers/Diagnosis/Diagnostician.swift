/// Finds out why StoreKit refused a signature, by recomputing what a backend may have signed: never by guessing.
package struct Diagnostician: Sendable {
    let app: App
    let verifiers: [any SignatureVerifier]
    /// The issuer of each key, by the key's identifier, if the catalog names one.
    let issuerIds: [String: String]
    let otherBundleIds: [String]
    let otherApps: [App]
    let otherKeys: [String: [any SignatureVerifier]]
    let neverSubscribed: OfferScope?
    let record: RecordedSignature?
    let now: Timestamp

    /// Prepares the diagnosis of one report.
    ///
    /// - Parameters:
    ///   - app: The app of the catalog that the report is about.
    ///   - verifiers: The public halves of the app's keys.
    ///   - issuerIds: In whose name each key signs, by its identifier, where the catalog says so.
    ///   - otherBundleIds: The other apps that the caller may ask about; nobody else's are looked at.
    ///   - otherApps: What the catalog says of them; without it, nothing is said of what it has.
    ///   - otherKeys: The public halves of keys that those apps have and this one has not, by bundle identifier.
    ///   - neverSubscribed: Where it is known that the customer never had a subscription: in the app, or in the product's
    ///     group; `nil` where nothing is known.
    ///   - record: What the service signed with the report's nonce; `nil` where that is not on record.
    ///   - now: The server's clock.
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

    /// Finds the causes of a refusal.
    ///
    /// - Parameter report: What the app gave StoreKit.
    /// - Returns: What was found out.
    package func diagnose(_ report: SignatureReport) -> Diagnosis {
        let text = SignatureText(report.signature)
        var search = text.map { MistakeSearch(of: $0.form, in: situation(of: report)) }
        if let record, !report.differences(from: record).isEmpty {
            let isOwn = search?.isRight() != true
            return isOwn ? diagnosis(of: report, text, from: record) : diagnosis(ofReused: report, text)
        }
        let certain = report.causes(in: text)
        guard let signed = search?.signedGuess() else {
            // A certain cause suffices for a refusal, whatever was signed.
            let others = certain + circumstances(of: report, among: [report.offer], in: [app])
            let rest =
                switch (search, record) {
                case (nil, _): report.noSignature
                case (_?, _?): report.otherSignature
                case (let search?, nil): report.unexplained(after: search)
                }
            return Diagnosis(isValid: false, causes: (others + [rest]).likeliestFirst)
        }
        let catalogs = catalogs(besides: signed.bundleId)
        let offers = catalogs.isEmpty ? [] : [report.offer, signed.offer]
        let found = signed.found.compactMap { found in
            found.mistake.cause(Mistake.Seen(report: report, payload: signed, field: found.field))
        }
        let causes = found + certain + circumstances(of: report, among: offers, in: catalogs)
        guard causes.isEmpty else { return Diagnosis(isValid: false, causes: causes.likeliestFirst) }
        let rest = report.storeKitError.map { [DiagnosisCause.unexplained(by: $0, account: report.account)] } ?? []
        return Diagnosis(isValid: true, causes: rest)
    }

    private func situation(of report: SignatureReport) -> Mistake.Situation {
        Mistake.Situation(
            report: report,
            app: app,
            keys: verifiers,
            otherBundleIds: otherBundleIds,
            otherKeys: otherKeys
        )
    }

    /// The faults when the record says which fields differ: nothing of the payload has to be recomputed.
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

    /// The fault when the nonce is on record, and the signature is right for other values: it is another signature.
    private func diagnosis(ofReused report: SignatureReport, _ text: SignatureText?) -> Diagnosis {
        let others =
            report.causes(in: text) + DiagnosisCause.times(of: report.moment, at: now) + customer(of: report.productId)
            + unlisted([report.offer], in: [app])
        return Diagnosis(isValid: false, causes: (others + [.nonceReused]).likeliestFirst)
    }

    /// The apps of the catalog that may have what was signed for one of them: beside the report's app that one; none where
    /// the catalog of that one is not known.
    func catalogs(besides bundleId: String) -> [App] {
        guard otherBundleIds.contains(bundleId) else { return [app] }
        return otherApps.first { $0.bundleId.hasSameBytes(as: bundleId) }.map { [app, $0] } ?? []
    }

    /// The faults beside the signature: its time, the customer, and the catalog.
    ///
    /// Where another offer was signed than the report names, one of the two is a mistake: the catalog lacks nothing when it
    /// has the other. So none of the offers may be in it. Both times count where the one that was given is not the one on
    /// record: StoreKit takes none that is wrong.
    private func circumstances(
        of report: SignatureReport,
        among offers: [OfferRequest],
        in catalogs: [App]
    ) -> [DiagnosisCause] {
        let moments = [record?.timestamp, report.moment].compactMap(\.self)
        return moments.flatMap { DiagnosisCause.times(of: $0, at: now) } + unlisted(offers, in: catalogs)
            + customer(of: report.productId)
    }

    /// A cause if no catalog has any of the offers.
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
                detail: offer.offerId.isEmpty
                    ? "The catalog has no product \(offer.productId)."
                    : "The catalog has no offer \(offer.offerId) on \(offer.productId).",
                fix: "Compare both with App Store Connect, and add the offer to the catalog."
            )
        ]
    }

    /// A cause if the customer never had a subscription.
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
    /// The nonce is on record for another signature.
    static let nonceReused = DiagnosisCause(
        .nonceReused,
        detail: "The service has signed something else with this nonce, so it is no new one.",
        fix: "Make a new random UUID for every signature, and use each signature for one purchase."
    )

    /// The faults of a moment that was signed, or given.
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
        var causes = Mistake.texts.filter { text?.mistakes.contains($0.code) == true }.compactMap(\.textCause)
        causes = causes.enumerated().filter { place, cause in
            causes[..<place].allSatisfy { $0.code != cause.code }
        }.map(\.element)
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
        if isInSeconds {
            let seen = Mistake.Seen(report: self, payload: PayloadGuess(fields: fields), field: .timestamp)
            causes += [Mistake.timestampInSeconds.cause(seen)].compactMap(\.self)
        }
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

    /// The cause when the text of the signature is none.
    var noSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: signature.isEmpty
                ? "The signature is empty."
                : "The signature is no signature: neither ASN.1 DER nor 64 bytes, however it is decoded.",
            fix: "Hand on the signature whole, in standard Base64."
        )
    }

    /// The cause when all values are those on record, and the signature is not theirs.
    var otherSignature: DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: "All values are those that the service signed with this nonce, and this is not the signature that "
                + "it gave for them.",
            fix: "Hand on the signature of the decision that the nonce is from, as it is: each decision of an answer "
                + "has its own."
        )
    }

    /// The cause when no mistakes were found with which the signature is one of the app's keys.
    func unexplained(after search: MistakeSearch) -> DiagnosisCause {
        DiagnosisCause(
            .unexplained,
            detail: search.isExhaustive
                ? "The signature is by none of the app's keys, whatever one or two of the mistakes that are looked for "
                    + "would have made of these values."
                : "The signature is by none of the app's keys for anything that was tried: single mistakes, and the "
                    + "likeliest of two at once. The search has used up its budget of \(MistakeSearch.maximumTries) "
                    + "verifications, and there are too many pairs to try them all.",
            fix: "Check that the values are those of one buy request, that the catalog lists the key that signed, "
                + "and that its P8 file is whole."
        )
    }
}
