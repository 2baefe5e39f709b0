package import Offers

/// The use case behind support: why StoreKit refused a signature.
///
/// An actor, so that diagnoses take one core at the most, one after another, and never the signatures' share.
package actor DiagnoseReports {
    private let apps: [String: DiagnosableApp]
    private let memory: StateMemory?
    private let recall: (any SignatureRecall)?
    private let purchases: (any PurchaseReader)?
    private let now: @Sendable () -> Timestamp

    /// Of two apps with one bundle identifier the first counts.
    package init(
        apps: [DiagnosableApp],
        memory: StateMemory? = nil,
        recalling recall: (any SignatureRecall)? = nil,
        reading purchases: (any PurchaseReader)? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.memory = memory
        self.recall = recall
        self.purchases = purchases
        self.apps = Dictionary(apps.map { ($0.app.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.now = now
    }

    /// `nil` when the caller may not ask about the app, or the catalog lacks it.
    ///
    /// Only `callersApps` are looked at, and signatures of theirs, whichever client asked for them.
    package func diagnose(_ report: SignatureReport, callersApps: Set<String>) async -> Diagnosis? {
        guard let own = app(report.bundleId, of: callersApps) else { return nil }
        return await Diagnostician(
            of: own,
            beside: others(than: own, of: callersApps),
            neverSubscribedIn: neverSubscribed(report.account, report.offer, signedAt: report.moment, in: own.app),
            record: record(of: report.nonce, report.account.caseVariants, of: callersApps),
            now: now()
        ).diagnose(report)
    }

    /// As of a discount; throws when the resulting transaction is not genuine, or of another app.
    package func diagnose(
        _ report: JWSReport,
        callersApps: Set<String>
    ) async throws(EvidenceFault) -> Diagnosis? {
        guard let own = app(report.bundleId, of: callersApps) else { return nil }
        let jws = ReportedJWS(report.jws)
        var purchase: ReportedPurchase?
        if let text = report.resultingTransaction {
            purchase = try purchases?.purchase(in: text, of: report.bundleId)
        }
        let moment = jws.moment ?? now()
        let diagnostician = await Diagnostician(
            of: own,
            beside: others(than: own, of: callersApps),
            // An introductory offer asks for no earlier subscription.
            neverSubscribedIn: report.offerId == nil
                ? nil : neverSubscribed(report.account, report.offer, signedAt: moment, in: own.app),
            record: record(of: jws.text("nonce") ?? "", [report.account], of: callersApps),
            now: now()
        )
        let ids = await idsHeld(beside: purchase?.customerIds ?? [], of: report, jws, in: own.app)
        return diagnostician.diagnose(report, jws, purchase: purchase, customerIds: ids)
    }

    /// Identifiers of the same bytes alone, as in every other call.
    private func app(_ bundleId: String, of callersApps: Set<String>) -> DiagnosableApp? {
        guard callersApps.contains(bundleId), let own = apps[bundleId], own.app.bundleId.hasSameBytes(as: bundleId)
        else { return nil }
        return own
    }

    private func others(than own: DiagnosableApp, of callersApps: Set<String>) -> [DiagnosableApp] {
        callersApps.subtracting([own.app.bundleId]).sorted().compactMap { apps[$0] }
    }

    /// `nil` also when the nonce was signed for another app.
    private func record(
        of nonce: String,
        _ accounts: [Account],
        of callersApps: Set<String>
    ) async -> RecordedSignature? {
        guard let recall, !nonce.isEmpty,
            let record = await recall.signature(nonce: nonce.lowercased(), accounts: accounts),
            callersApps.contains(record.bundleId)
        else { return nil }
        return record
    }

    /// Identifiers of a JWS's customer by held state: all of the account, and those of subscriptions that share an
    /// account with a named one.
    private func idsHeld(
        beside named: Set<String>,
        of report: JWSReport,
        _ jws: ReportedJWS,
        in app: App
    ) async -> Set<String> {
        guard let memory, let claim = jws.text("transactionId") else { return [] }
        var ids = named
        if let id = report.transactionId { ids.insert(id) }
        let subscriptions = ids.union([claim]).flatMap { id in
            app.environments.map {
                SubscriptionIdentity(bundleId: app.bundleId, environment: $0, originalTransactionId: id)
            }
        }
        let account = memory.view(of: report.account, in: app).digest
        let question = StateQuestion(bundleId: app.bundleId, account: account, subscriptions: subscriptions)
        guard let held = try? await memory.states.held(question) else { return [] }
        var owners = Set([account].compactMap(\.self))
        // One subscription leads to the next: by an identifier that both have, or by an account.
        var rest = held.chapters.map { (ids: $0.customerIds, accounts: Set($0.accounts.keys)) }
        while let place = rest.firstIndex(where: {
            !$0.ids.isDisjoint(with: ids) || !$0.accounts.isDisjoint(with: owners)
        }) {
            let found = rest.remove(at: place)
            ids.formUnion(found.ids)
            owners.formUnion(found.accounts)
        }
        return ids
    }

    /// The scope in which the customer never had a subscription, when Apple named all subscriptions of the account at most
    /// a day before the signature was made, or later.
    ///
    /// It is the offer's scope; of an offer that the catalog does not have, the whole app.
    private func neverSubscribed(
        _ account: Account,
        _ offer: OfferRequest,
        signedAt moment: Timestamp,
        in app: App
    ) async -> OfferScope? {
        guard let memory, let (product, group) = app.product(offer.productId) else { return nil }
        let scope = product.offer(offer.offerId)?.terms.scope ?? .app
        let view = memory.view(of: account, in: app)
        let question = StateQuestion(bundleId: app.bundleId, account: view.digest)
        guard let state = try? await memory.states.held(question),
            let book = Book(held: state, of: app, for: view), let asOf = book.asOf,
            asOf.adding(seconds: Discount.lifetimeSeconds) > moment
        else { return nil }
        let status = Subscriptions(book, of: app, at: now()).status(inGroup: scope == .app ? nil : group.id)
        return status == .neverSubscribed ? scope : nil
    }
}
