package import Offers

/// The use case behind support: why StoreKit refused a signature.
///
/// An actor, so that diagnoses take one core at the most, one after another, and never the signatures' share.
package actor DiagnoseReports {
    /// An app of the catalog, with the public halves of its keys.
    package struct DiagnosableApp: Sendable {
        let app: App
        let verifiers: [any SignatureVerifier]
        /// By the key's identifier, where the catalog names one.
        let issuerIds: [String: String]

        package init(app: App, verifiers: [any SignatureVerifier], issuerIds: [String: String] = [:]) {
            self.app = app
            self.verifiers = verifiers
            self.issuerIds = issuerIds
        }
    }

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
        guard callersApps.contains(report.bundleId), let known = apps[report.bundleId] else { return nil }
        let buyer = Buyer(
            account: report.account,
            offer: OfferRequest(productId: report.productId, offerId: report.offerId),
            moment: report.moment
        )
        let nonce = RecordedNonce(text: report.nonce, accounts: report.accountsToRecall)
        return await diagnostician(for: known, buyer, nonce, callersApps: callersApps).diagnose(report)
    }

    /// As of a discount; throws when the resulting transaction is not genuine, or of another app.
    package func diagnose(
        _ report: JWSReport,
        callersApps: Set<String>
    ) async throws(EvidenceFault) -> Diagnosis? {
        guard callersApps.contains(report.bundleId), let known = apps[report.bundleId] else { return nil }
        let jws = ReportedJWS(report.jws)
        var purchase: ReportedPurchase?
        if let text = report.resultingTransaction {
            purchase = try purchases?.purchase(in: text, of: report.bundleId)
        }
        // An introductory offer asks for no earlier subscription.
        let buyer = report.offerId.map { offerId in
            Buyer(
                account: report.account,
                offer: OfferRequest(productId: report.productId, offerId: offerId),
                moment: jws.moment ?? now()
            )
        }
        let nonce = RecordedNonce(text: jws.text("nonce") ?? "", accounts: [report.account])
        let diagnostician = await diagnostician(for: known, buyer, nonce, callersApps: callersApps)
        let ids = await idsHeld(beside: purchase?.customerIds ?? [], of: report, jws, in: known.app)
        return diagnostician.diagnose(report, jws, purchase: purchase, customerIds: ids)
    }

    /// The customer of an offer.
    private struct Buyer {
        let account: Account
        let offer: OfferRequest
        /// When it was signed.
        let moment: Timestamp
    }

    /// A nonce to look for in the ledger.
    private struct RecordedNonce {
        let text: String
        let accounts: [Account]
    }

    private func diagnostician(
        for known: DiagnosableApp,
        _ buyer: Buyer?,
        _ nonce: RecordedNonce,
        callersApps: Set<String>
    ) async -> Diagnostician {
        let others = callersApps.filter { $0 != known.app.bundleId && apps[$0] != nil }
        var neverSubscribed: OfferScope?
        if let buyer { neverSubscribed = await self.neverSubscribed(buyer, in: known.app) }
        return Diagnostician(
            app: known.app,
            verifiers: known.verifiers,
            issuerIds: known.issuerIds,
            otherBundleIds: others.sorted(),
            otherApps: others.compactMap { apps[$0]?.app },
            otherKeys: keys(of: others, beside: known),
            neverSubscribedIn: neverSubscribed,
            record: await record(of: nonce, callersApps: callersApps),
            now: now()
        )
    }

    private func keys(of others: Set<String>, beside known: DiagnosableApp) -> [String: [any SignatureVerifier]] {
        let own = Set(known.verifiers.map(\.keyIdentifier))
        return apps.filter { others.contains($0.key) }
            .mapValues { other in other.verifiers.filter { !own.contains($0.keyIdentifier) } }
    }

    /// `nil` also when the nonce was signed for another app.
    private func record(of nonce: RecordedNonce, callersApps: Set<String>) async -> RecordedSignature? {
        guard let recall, !nonce.text.isEmpty,
            let record = await recall.signature(nonce: nonce.text.lowercased(), accounts: nonce.accounts),
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
        let all = held.chapters.map { chapter in
            let ids = Set(chapter.transactions.compactMap(\.content.transactionId))
            return (ids: ids.union([chapter.identity.originalTransactionId]), accounts: Set(chapter.accounts.keys))
        }
        let own = all.filter { !$0.ids.isDisjoint(with: ids) }
        let owners = own.reduce(into: Set([account].compactMap(\.self))) { $0.formUnion($1.accounts) }
        let others = all.filter { !$0.accounts.isDisjoint(with: owners) }
        return (own + others).reduce(into: []) { $0.formUnion($1.ids) }
    }

    /// The scope in which the customer never had a subscription, when Apple named all subscriptions of the account at most
    /// a day before the signature was made, or later.
    ///
    /// It is the offer's scope; of an offer that the catalog does not have, the whole app.
    private func neverSubscribed(_ buyer: Buyer, in app: App) async -> OfferScope? {
        guard let memory, let (product, group) = app.product(buyer.offer.productId) else { return nil }
        let scope = product.offer(buyer.offer.offerId)?.terms.scope ?? .app
        let view = memory.view(of: buyer.account, in: app)
        let question = StateQuestion(bundleId: app.bundleId, account: view.digest)
        guard let state = try? await memory.states.held(question),
            let book = Book(held: state, of: app, for: view), let asOf = book.asOf,
            asOf.adding(seconds: Discount.lifetimeSeconds) > buyer.moment
        else { return nil }
        let status = Subscriptions(book, of: app, at: now()).status(inGroup: scope == .app ? nil : group.id)
        return status == .neverSubscribed ? scope : nil
    }
}
