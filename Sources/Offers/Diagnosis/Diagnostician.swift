/// Finds out why StoreKit refused a signature, by recomputing what a backend may have signed: never by guessing.
public struct Diagnostician: Sendable {
    private let app: App
    private let verifiers: [any SignatureVerifier]
    private let otherBundleIds: [String]
    private let otherApps: [App]
    private let otherKeys: [String: [any SignatureVerifier]]
    private let neverSubscribed: OfferScope?
    private let record: RecordedSignature?
    private let now: Timestamp

    /// Prepares the diagnosis of one report.
    ///
    /// - Parameters:
    ///   - app: The app of the catalog that the report is about.
    ///   - verifiers: The public halves of the app's keys.
    ///   - otherBundleIds: The other apps that the caller may ask about; nobody else's are looked at.
    ///   - otherApps: What the catalog says of them; without it, nothing is said of what it has.
    ///   - otherKeys: The public halves of keys that those apps have and this one has not, by bundle identifier.
    ///   - neverSubscribed: Where it is known that the customer never had a subscription: in the app, or in the product's
    ///     group; `nil` where nothing is known.
    ///   - record: What the service signed with the report's nonce; `nil` where that is not on record.
    ///   - now: The server's clock.
    public init(
        app: App,
        verifiers: [any SignatureVerifier],
        otherBundleIds: [String],
        otherApps: [App] = [],
        otherKeys: [String: [any SignatureVerifier]] = [:],
        neverSubscribedIn neverSubscribed: OfferScope? = nil,
        record: RecordedSignature? = nil,
        now: Timestamp
    ) {
        self.record = record
        self.neverSubscribed = neverSubscribed
        self.app = app
        self.verifiers = verifiers
        self.otherBundleIds = otherBundleIds
        self.otherApps = otherApps
        self.otherKeys = otherKeys
        self.now = now
    }

    /// Finds the causes of a refusal.
    ///
    /// - Parameter report: What the app gave StoreKit.
    /// - Returns: What was found out.
    public func diagnose(_ report: SignatureReport) -> Diagnosis {
        if let record {
            let differences = report.differences(from: record)
            if !differences.isEmpty { return diagnosis(of: report, differences, from: record) }
        }
        guard let text = SignatureText(report.signature) else {
            let certain = causes([], of: report, among: [report.offer])
            return Diagnosis(isValid: false, causes: certain + [report.noSignature])
        }
        var search = search(for: text.form, in: report)
        guard let signed = search.signedGuess() else {
            // A certain cause suffices for a refusal, whatever was signed.
            let certain = causes(text.mistakes, of: report, among: [report.offer]) + report.unnamed(in: text)
            let rest =
                record == nil ? report.unexplained(isExhaustive: search.isExhaustive) : report.otherSignature
            return Diagnosis(isValid: false, causes: certain + [rest])
        }
        let catalogs = catalogs(besides: signed.bundleId)
        let offers = catalogs.isEmpty ? [] : [report.offer, signed.offer]
        let named = causes(text.mistakes + signed.mistakes, of: report, among: offers, by: catalogs, signed)
        let causes = named + report.unnamed(in: text)
        guard causes.isEmpty else { return Diagnosis(isValid: false, causes: causes) }
        let rest = report.storeKitError == nil ? [] : [report.unexplainedThoughRight()]
        return Diagnosis(isValid: true, causes: rest)
    }

    /// The faults when the record says which fields differ: nothing of the payload has to be recomputed.
    private func diagnosis(
        of report: SignatureReport,
        _ differences: [DiagnosisCause],
        from record: RecordedSignature
    ) -> Diagnosis {
        let named = Set(differences.map(\.code))
        let isOwn = record.bundleId.hasSameBytes(as: app.bundleId)
        let text = SignatureText(report.signature)
        let others = causes(text?.mistakes ?? [], of: report, among: isOwn ? [record.offer] : [])
        let unnamed = text.map(report.unnamed) ?? []
        let causes = differences + others.filter { !named.contains($0.code) } + unnamed
        let order = DiagnosisCode.allCases
        return Diagnosis(
            isValid: false,
            causes: causes.sorted { left, right in
                (order.firstIndex(of: left.code) ?? 0) < (order.firstIndex(of: right.code) ?? 0)
            }
        )
    }

    /// The causes of mistakes that were found, and of the circumstances, the likeliest first.
    ///
    /// Where another offer was signed than the report names, one of the two is a mistake: the catalog lacks nothing when it
    /// has the other. So none of `offers` may be in it, in none of `catalogs`.
    private func causes(
        _ found: [DiagnosisCode],
        of report: SignatureReport,
        among offers: [OfferRequest],
        by catalogs: [App]? = nil,
        _ signed: PayloadGuess? = nil
    ) -> [DiagnosisCause] {
        let catalogs = catalogs ?? [app]
        let isKnown = offers.contains { offer in
            catalogs.contains { $0.product(offer.productId)?.product.offer(offer.offerId) != nil }
        }
        let unknown = isKnown ? nil : offers.first
        var codes = Set(found + circumstances(of: report))
        if unknown != nil { codes.insert(.offerNotInCatalog) }
        // Seconds given to StoreKit are wrong even where the payload has them, too.
        if report.isInSeconds { codes.insert(.timestampInSeconds) }
        let group = neverSubscribed == .group ? app.product(report.productId)?.group : nil
        return DiagnosisCode.allCases.filter(codes.contains).map { code in
            report.cause(code, unknown: unknown ?? report.offer, neverOf: group, signed: signed, at: now)
        }
    }

    /// The apps of the catalog that may have what was signed for one of them: beside the report's app that one; none where
    /// the catalog of that one is not known.
    private func catalogs(besides bundleId: String) -> [App] {
        guard otherBundleIds.contains(bundleId) else { return [app] }
        return otherApps.first { $0.bundleId.hasSameBytes(as: bundleId) }.map { [app, $0] } ?? []
    }

    /// The faults beside the signature: its time, and the customer.
    ///
    /// Both times count where the one that was given is not the one on record: StoreKit takes none that is wrong.
    private func circumstances(of report: SignatureReport) -> [DiagnosisCode] {
        var codes: [DiagnosisCode] = []
        if neverSubscribed != nil { codes.append(.neverSubscribed) }
        for moment in [record?.timestamp, report.moment].compactMap(\.self) {
            if moment.adding(seconds: Discount.lifetimeSeconds) < now { codes.append(.timestampExpired) }
            if now.adding(seconds: ClockSkew.toleratedSeconds) < moment { codes.append(.timestampInFuture) }
        }
        return codes
    }

    private func search(for form: SignatureText.Form, in report: SignatureReport) -> MistakeSearch {
        MistakeSearch(
            of: form,
            in: report,
            of: app,
            otherBundleIds: otherBundleIds,
            otherKeys: otherKeys,
            verifiers: verifiers
        )
    }
}

extension SignatureReport {
    /// The offer of the payment.
    var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId) }

    /// The fields that StoreKit composes from what it was given, in Apple's order.
    var fields: [String] {
        [
            bundleId, keyIdentifier, productId, offerId, account.payloadField, nonce.lowercased(), String(timestamp),
        ]
    }
}
