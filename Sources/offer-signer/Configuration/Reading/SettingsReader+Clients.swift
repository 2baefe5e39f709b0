import Crypto
import OfferAPI
import Offers

extension SettingsReader {
    /// Clients at fault are left out; the catalog is `nil` when it is not known.
    func clients(_ root: ConfigurationNode, of catalog: Catalog?) -> [Client] {
        let tokenUses = FirstUses<[UInt8]>()
        let clients = root.mapping { file in
            file.path = ""
            let clients = file.things(
                "clients",
                id: "name",
                .clientName,
                fix: "write a name for the client, for logs and the ledger",
                required: "write the list of clients",
                recordedIn: file
            ) {
                client($0, name: $1, of: catalog, tokenUses)
            }
            if clients?.isEmpty == true {
                file.member("clients")?.warn(
                    "is empty, so nobody can ask for signatures; `offer-signer clients token` helps"
                )
            }
            return clients
        }
        return clients ?? []
    }

    private func client(
        _ client: Members,
        name: String?,
        of catalog: Catalog?,
        _ tokenUses: FirstUses<[UInt8]>
    ) -> Client? {
        let tokens = tokens(client)
        for token in tokens { tokenUses.claim(token.digest, at: token.node) }
        if let name, tokens.contains(where: { $0.digest.elementsEqual(SHA256.hash(data: Array(name.utf8))) }) {
            client.member("name")?.fault(
                "is the client's token, and names appear in logs; give the client another name"
            )
        }
        let apps = client.values(
            "apps",
            of: .identifier(of: "app of the catalog", among: catalog?.bundleIds),
            required: "write the bundle ids that the client may ask for"
        )
        let scopes = client.values("scopes", of: .choice, default: ClientScope.byDefault)
        let evidence = client.values("evidence", of: .choice, default: Client.evidenceByDefault)
        let environments: Set<AppStoreEnvironment>? = client.values("environments", of: .choice)
        let rate = client.value("signaturesPerSecond", .wholeNumber(1...1_000_000_000))
        let requests = client.value("concurrentRequests", .wholeNumber(1...1_000_000))
        guard let name, let apps, !tokens.isEmpty else { return nil }
        let found = Client(
            name: name,
            tokenSHA256: tokens.map(\.digest),
            expires: Dictionary(tokens.compactMap { token in token.expires.map { (token.digest, $0) } }) { $1 },
            apps: apps,
            scopes: scopes,
            evidence: evidence,
            environments: environments,
            signaturesPerSecond: rate,
            concurrentRequests: requests
        )
        record(found, client)
        let known = catalog?.apps.filter { apps.contains($0.app.bundleId) } ?? []
        checkEnvironments(found, client, known)
        warnOfSandbox(found, at: client.node, known)
        warnOfStorefronts(found, at: client.node, known)
        return found
    }

    /// Of tokens there are their ends, and a mark by which a change shows, and from which no digest can be found.
    private func record(_ client: Client, _ members: Members) {
        let ends = client.expires.values.map(\.rfc3339).sorted()
        members.record("expires", ends.isEmpty ? nil : ConfigurationInUse.list(ends))
        let tokens = client.tokenSHA256.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
        members.record("tokens", Hexadecimal.text(SHA256.hash(data: tokens).prefix(4)))
    }

    private func checkEnvironments(_ client: Client, _ members: Members, _ apps: [AppSettings]) {
        guard let environments = client.environments else { return }
        for app in apps.map(\.app) where app.environments.isDisjoint(with: environments) {
            members.member("environments")?.fault(
                "leaves no evidence that counts for \(Echo.known(app.bundleId)), whose environments in the catalog are "
                    + "others; name one of them"
            )
        }
    }

    /// Warns of a client to which a purchase of the Sandbox, which costs nothing, brings signatures for Production.
    private func warnOfSandbox(_ client: Client, at node: ConfigurationNode, _ apps: [AppSettings]) {
        guard client.scopes.contains(.sign) else { return }
        let both: Set<AppStoreEnvironment> = [.production, .sandbox]
        for app in apps
        where both.isSubset(of: client.environments.map(app.app.environments.intersection) ?? app.app.environments) {
            let products = app.app.subscriptionGroups.flatMap(\.products)
            let endless = products.flatMap { product in
                product.offers.filter { $0.terms.signatureLimit == nil && !app.isRetentionOffer($0, of: product) }
            }
            guard let first = endless.first else { continue }
            let others = endless.count == 1 ? " has" : " and \((endless.count - 1).of("other")) have"
            node.warn(
                "counts Production and Sandbox of \(Echo.known(app.app.bundleId)), where the offer \(Echo.known(first.id))"
                    + "\(others) no maximumSignaturesPerCustomer: a signature names no environment, so a tester's purchase, "
                    + "which costs nothing, buys signatures that Production takes, as many as are asked for. Write "
                    + "environments: [Production] here, and make a client of its own for TestFlight, or limit the offers"
            )
        }
    }

    /// Warns of a client whose evidence cannot have the storefronts that offers ask for.
    private func warnOfStorefronts(_ client: Client, at node: ConfigurationNode, _ apps: [AppSettings]) {
        guard !client.scopes.isDisjoint(with: [.sign, .eligibility]) else { return }
        for app in apps {
            let offers = app.app.subscriptionGroups.flatMap(\.products).flatMap(\.offers)
            guard let first = offers.first(where: { $0.terms.storefronts != nil }) else { continue }
            guard
                client.evidence.contains(.receiptResponse)
                    || app.receipts == .verifyReceipt && client.evidence.contains(.receipt)
            else { continue }
            node.warn(
                "may send evidence of verifyReceipt for \(Echo.known(app.app.bundleId)), which has no storefront: the offer "
                    + "\(Echo.known(first.id)) with storefronts is no_evidence then. Write receipts: serverAPI on the app, and "
                    + "evidence: [receipt, signedTransactions, transactionId] here"
            )
        }
    }

    private struct Token {
        let digest: [UInt8]
        let expires: Timestamp?
        let node: ConfigurationNode
    }

    private static let tokenFix = "`offer-signer clients token` makes a token and prints it"

    /// Reads one digest, or a list of two while one token takes the other's place; each may have its end beside it.
    private func tokens(_ client: Members) -> [Token] {
        guard let node = client.member("tokenSHA256", required: Self.tokenFix) else { return [] }
        guard node.isList else { return clientToken(node).map { [$0] } ?? [] }
        let few = "a client has one, or two while a new token replaces the old one"
        let nodes = node.list(empty: few) ?? []
        if nodes.count > 2 { node.fault("has \(nodes.count) digests; \(few)") }
        return nodes.compactMap(clientToken)
    }

    private func clientToken(_ node: ConfigurationNode) -> Token? {
        guard node.isMapping else { return digest(node).map { Token(digest: $0, expires: nil, node: node) } }
        return node.mapping { token in
            let digest = token.member("sha256", required: Self.tokenFix).flatMap { self.digest($0) }
            let expires = token.value("expires", .time)
            if let expires, let node = token.member("expires") { warn(of: expires, at: node) }
            return digest.map { Token(digest: $0, expires: expires, node: node) }
        }
    }

    /// Warns of a token that has ended, or will within a fortnight.
    private func warn(of end: Timestamp, at node: ConfigurationNode) {
        let now = WallClock.now()
        guard end < now.adding(days: 14) else { return }
        node.warn(
            "\(end <= now ? "is over: the token is refused" : "is soon: the token is refused from then on"); make another one "
                + "with `offer-signer clients token`, and write its digest beside this one until the client has it"
        )
    }

    private func digest(_ node: ConfigurationNode) -> [UInt8]? {
        guard let digest = node.value(.tokenDigest) else { return nil }
        if digest == DemoCredentials.tokenSHA256, let exposed {
            node.fault(
                "is the demo token, which everyone knows, but \(exposed) is not a loopback address; make a token of your "
                    + "own with `offer-signer clients token`"
            )
        }
        return digest
    }
}
