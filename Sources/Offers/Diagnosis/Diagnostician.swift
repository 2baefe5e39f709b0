/// Finds out why StoreKit refused a signature, by recomputing what a backend may have signed: never by guessing.
public struct Diagnostician: Sendable {
    private let app: App
    private let verifiers: [any SignatureVerifier]
    private let otherBundleIds: [String]
    private let neverSubscribed: OfferScope?
    private let record: RecordedSignature?
    private let now: Timestamp

    /// Prepares the diagnosis of one report.
    ///
    /// - Parameters:
    ///   - app: The app of the catalog that the report is about.
    ///   - verifiers: The public halves of the app's keys.
    ///   - otherBundleIds: The other apps that the caller may ask about; nobody else's are looked at.
    ///   - neverSubscribed: Where it is known that the customer never had a subscription: in the app, or in the product's
    ///     group; `nil` where nothing is known.
    ///   - record: What the service signed with the report's nonce; `nil` where that is not on record.
    ///   - now: The server's clock.
    public init(
        app: App,
        verifiers: [any SignatureVerifier],
        otherBundleIds: [String],
        neverSubscribedIn neverSubscribed: OfferScope? = nil,
        record: RecordedSignature? = nil,
        now: Timestamp
    ) {
        self.record = record
        self.neverSubscribed = neverSubscribed
        self.app = app
        self.verifiers = verifiers
        self.otherBundleIds = otherBundleIds
        self.now = now
    }

    /// Finds the causes of a refusal.
    ///
    /// - Parameter report: What the app gave StoreKit.
    /// - Returns: What was found out.
    public func diagnose(_ report: SignatureReport) -> Diagnosis {
        if let record {
            let differences = report.differences(from: record)
            if !differences.isEmpty { return diagnosis(of: report, differences) }
        }
        guard let text = SignatureText(report.signature) else {
            return Diagnosis(isValid: false, causes: causes([], of: report) + [report.noSignature])
        }
        var search = search(for: text.form, in: report)
        guard let signed = search.signedGuess() else {
            // What is certain suffices for a refusal, whatever was signed.
            let certain = causes(text.mistakes, of: report)
            return Diagnosis(
                isValid: false,
                causes: certain + [report.unexplained(isExhaustive: search.isExhaustive)]
            )
        }
        let causes = causes(text.mistakes + signed.mistakes, of: report)
        guard causes.isEmpty else { return Diagnosis(isValid: false, causes: causes) }
        let rest = report.storeKitError == nil ? [] : [report.unexplainedThoughRight()]
        return Diagnosis(isValid: true, causes: rest)
    }

    /// What is wrong where the record says which fields differ: nothing of the payload has to be recomputed.
    private func diagnosis(of report: SignatureReport, _ differences: [DiagnosisCause]) -> Diagnosis {
        let named = Set(differences.map(\.code))
        let others = causes(SignatureText(report.signature)?.mistakes ?? [], of: report)
        let causes = differences + others.filter { !named.contains($0.code) }
        let order = DiagnosisCode.allCases
        return Diagnosis(
            isValid: false,
            causes: causes.sorted { left, right in
                (order.firstIndex(of: left.code) ?? 0) < (order.firstIndex(of: right.code) ?? 0)
            }
        )
    }

    /// The causes of mistakes that were found, and of the circumstances, the likeliest first.
    private func causes(_ found: [DiagnosisCode], of report: SignatureReport) -> [DiagnosisCause] {
        var codes = Set(found + circumstances(of: report))
        // Seconds given to StoreKit are wrong even where the payload has them, too.
        if report.isInSeconds { codes.insert(.timestampInSeconds) }
        let group = neverSubscribed == .group ? app.product(report.productId)?.group : nil
        return DiagnosisCode.allCases.filter(codes.contains).map { report.cause($0, neverOf: group, at: now) }
    }

    /// What is wrong beside the signature: its time, and the catalog.
    private func circumstances(of report: SignatureReport) -> [DiagnosisCode] {
        var codes: [DiagnosisCode] = []
        if app.product(report.productId)?.product.offer(report.offerId) == nil { codes.append(.offerNotInCatalog) }
        if neverSubscribed != nil { codes.append(.neverSubscribed) }
        let signed = report.moment
        if signed.adding(seconds: Discount.lifetimeSeconds) < now { codes.append(.timestampExpired) }
        if now.adding(seconds: 300) < signed { codes.append(.timestampInFuture) }
        return codes
    }

    private func search(for form: SignatureText.Form, in report: SignatureReport) -> MistakeSearch {
        MistakeSearch(of: form, in: report, of: app, otherBundleIds: otherBundleIds, verifiers: verifiers)
    }
}

extension SignatureReport {
    /// The fields that StoreKit composes from what it was given, in Apple's order.
    var fields: [String] {
        [
            bundleId, keyIdentifier, productId, offerId, account.payloadField, nonce.lowercased(), String(timestamp),
        ]
    }
}
