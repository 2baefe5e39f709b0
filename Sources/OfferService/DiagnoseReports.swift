public import Offers

/// The use case behind support: why StoreKit refused a signature.
///
/// An actor, so that diagnoses take one core at the most, one after another, and never the signatures' share.
public actor DiagnoseReports {
    /// An app of the catalog, with the public halves of its keys.
    public struct DiagnosableApp: Sendable {
        let app: App
        let verifiers: [any SignatureVerifier]

        /// Creates the pair.
        ///
        /// - Parameters:
        ///   - app: The app.
        ///   - verifiers: The public halves of its keys.
        public init(app: App, verifiers: [any SignatureVerifier]) {
            self.app = app
            self.verifiers = verifiers
        }
    }

    private let apps: [String: DiagnosableApp]
    private let memory: StateMemory?
    private let recall: (any SignatureRecall)?
    private let now: @Sendable () -> Timestamp

    /// Creates the use case.
    ///
    /// - Parameters:
    ///   - apps: The apps of the catalog; of two with one bundle identifier the first counts.
    ///   - memory: What the service remembers of customers; `nil` where it remembers nothing.
    ///   - recall: Finds what was signed; `nil` where nothing is on record.
    ///   - now: The server's clock.
    public init(
        apps: [DiagnosableApp],
        memory: StateMemory? = nil,
        recalling recall: (any SignatureRecall)? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.memory = memory
        self.recall = recall
        self.apps = Dictionary(apps.map { ($0.app.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.now = now
    }

    /// Diagnoses a report.
    ///
    /// - Parameters:
    ///   - report: What the app gave StoreKit.
    ///   - callersApps: The bundle identifiers that the caller may ask about: no others are looked at.
    ///   - client: The client that calls, whose own signatures alone are looked at; `nil` for an operator.
    /// - Returns: What was found out; `nil` when the catalog has no such app, or the caller may not ask about it.
    public func diagnose(
        _ report: SignatureReport,
        callersApps: Set<String>,
        client: String? = nil
    ) async -> Diagnosis? {
        guard callersApps.contains(report.bundleId), let known = apps[report.bundleId] else { return nil }
        let neverSubscribed = await neverSubscribed(report, in: known.app)
        let others = callersApps.filter { $0 != report.bundleId && apps[$0] != nil }
        return Diagnostician(
            app: known.app,
            verifiers: known.verifiers,
            otherBundleIds: others.sorted(),
            otherApps: others.compactMap { apps[$0]?.app },
            otherKeys: keys(of: others, beside: known),
            neverSubscribedIn: neverSubscribed,
            record: await record(of: report, callersApps: callersApps, client: client),
            now: now()
        ).diagnose(report)
    }

    /// The keys of the caller's other apps that an app has not itself.
    private func keys(of others: Set<String>, beside known: DiagnosableApp) -> [String: [any SignatureVerifier]] {
        let own = Set(known.verifiers.map(\.keyIdentifier))
        return apps.filter { others.contains($0.key) }
            .mapValues { other in other.verifiers.filter { !own.contains($0.keyIdentifier) } }
    }

    /// What the service signed with the report's nonce, when it was for this caller.
    private func record(
        of report: SignatureReport,
        callersApps: Set<String>,
        client: String?
    ) async -> RecordedSignature? {
        guard let recall,
            let record = await recall.signature(nonce: report.nonce.lowercased(), accounts: report.accountsToRecall),
            callersApps.contains(record.bundleId), client == nil || record.client == client
        else { return nil }
        return record
    }

    /// Where the customer never had a subscription, when Apple told all subscriptions of the account at most a day before the
    /// signature was made, or later.
    ///
    /// That is where the offer asks for one. Of an offer that the catalog does not have nobody knows: the whole app is
    /// looked at.
    private func neverSubscribed(_ report: SignatureReport, in app: App) async -> OfferScope? {
        guard let memory, let (product, group) = app.product(report.productId) else { return nil }
        let scope = product.offer(report.offerId)?.scope ?? .app
        let view = memory.view(of: report.account, in: app)
        let question = StateQuestion(bundleId: app.bundleId, account: view.digest)
        guard let state = try? await memory.states.held(question),
            let history = SubscriptionHistory(held: state, of: app, for: view), let told = history.asOf,
            told.adding(seconds: Discount.lifetimeSeconds) > report.moment
        else { return nil }
        let status = history.status(inGroup: scope == .app ? nil : group.id, of: app, at: now())
        return status == .neverSubscribed ? scope : nil
    }
}
