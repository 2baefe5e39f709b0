import Crypto
import OfferAPI
import Offers
import StrictJSON

extension SettingsReader {
    /// Clients at fault are left out.
    ///
    /// The catalog and the public listener's address are `nil` when they are not known.
    func clients(
        _ root: ConfigurationNode,
        of catalog: Catalog?,
        server: ListenAddress?
    ) -> [Client] {
        let list = root.mapping(keys: ["clients"])?.required("clients", "write the list of clients")
        guard let list, let nodes = list.list(of: "clients") else { return [] }
        if nodes.isEmpty {
            faults.warning(list.place, "is empty, so nobody can ask for signatures; `offer-signer clients token` helps")
        }
        var names = FirstUses<String>()
        var tokenUses = FirstUses<[UInt8]>()
        return nodes.compactMap { (node) -> Client? in
            guard let members = node.mapping(keys: Self.clientKeys) else { return nil }
            let nameNode = members.required("name", "write a name for the client, for logs and the ledger")
            let name = nameNode?.value("a name", Self.parseName)
            names.claim(name, at: nameNode, "the name of another client")
            let digests = tokens(members, server: server)
            for token in digests { tokenUses.claim(token.digest, at: token.node, "the token of another client") }
            if let name, digests.contains(where: { $0.digest.elementsEqual(SHA256.hash(data: Array(name.utf8))) }) {
                nameNode?.fault("is the client's token, and names appear in logs; give the client another name")
            }
            let apps = apps(members, bundleIds: catalog?.bundleIds)
            let scopes = members["scopes"]?.choices(
                "a scope",
                of: ClientScope.allCases,
                fix: "the client could do nothing; name at least one scope, or leave the key out for all but "
                    + "redemptions"
            )
            let evidence = members["evidence"]?.choices(
                "a kind of evidence",
                of: EvidenceKind.allCases,
                fix: "the client could send nothing; name at least one kind, or leave the key out for all but "
                    + "receiptResponse"
            )
            let known = catalog?.apps.filter { apps.contains($0.app.bundleId) } ?? []
            let environments = environments(members["environments"], of: known)
            let rate = members["signaturesPerSecond"]?.wholeNumber(in: 1...1_000_000_000)
            let requests = members["concurrentRequests"]?.wholeNumber(in: 1...1_000_000)
            guard let name, !digests.isEmpty else { return nil }
            let client = Client(
                name: name,
                tokenSHA256: digests.map(\.digest),
                expires: Dictionary(digests.compactMap { token in token.expires.map { (token.digest, $0) } }) { $1 },
                apps: apps,
                scopes: scopes ?? ClientScope.byDefault,
                evidence: evidence ?? Client.evidenceByDefault,
                environments: environments,
                signaturesPerSecond: rate,
                concurrentRequests: requests
            )
            warnOfSandbox(client, at: node, known)
            warnOfStorefronts(client, at: node, known)
            return client
        }
    }

    private static let clientKeys = [
        "name", "tokenSHA256", "apps", "signaturesPerSecond", "concurrentRequests", "scopes", "evidence",
        "environments",
    ]

    private func environments(_ node: ConfigurationNode?, of apps: [AppSettings]) -> Set<AppStoreEnvironment>? {
        let environments = node?.choices(
            "an environment",
            of: AppStoreEnvironment.allCases,
            fix: "no evidence would count; name at least one environment, or leave the key out for all of the app"
        )
        guard let node, let environments else { return nil }
        for app in apps.map(\.app) where app.environments.isDisjoint(with: environments) {
            node.fault(
                "leaves no evidence that counts for \(Echo.known(app.bundleId)), whose environments in the catalog are "
                    + "others; name one of them"
            )
        }
        return environments
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
            faults.warning(
                node.place,
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
            faults.warning(
                node.place,
                "may send evidence of verifyReceipt for \(Echo.known(app.app.bundleId)), which has no storefront: the offer "
                    + "\(Echo.known(first.id)) with storefronts is no_evidence then. Write receipts: serverAPI on the app, and "
                    + "evidence: [receipt, signedTransactions, transactionId] here"
            )
        }
    }

    private static func parseName(_ text: String) throws(ValueFault) -> String {
        guard !SecretText.isLikely(text) else {
            throw ValueFault("looks like a token, and names appear in logs; give the client another name")
        }
        guard text != LedgerEntry.retention else {
            throw ValueFault(
                "is the ledger's name for Apple's calls for retention messages; give the client another name"
            )
        }
        return try Identifier.parse(text)
    }

    private struct Token {
        let digest: [UInt8]
        let expires: Timestamp?
        let node: ConfigurationNode
    }

    /// Reads one digest, or a list of two while one token takes the other's place; each may have its end beside it.
    private func tokens(_ members: ConfigurationMapping, server: ListenAddress?) -> [Token] {
        let node = members.required("tokenSHA256", "`offer-signer clients token` makes a token and prints it")
        guard let node else { return [] }
        guard node.isList else { return token(node, server: server).map { [$0] } ?? [] }
        let nodes =
            node.filledList(of: "digests", fix: "write one, or two while a new token replaces the old one") ?? []
        if nodes.count > 2 {
            node.fault("has \(nodes.count) digests; a client has one, or two while a new token replaces the old one")
        }
        var uses = FirstUses<[UInt8]>()
        return nodes.compactMap { node in
            guard let token = token(node, server: server) else { return nil }
            guard uses.record(token.digest, at: node.place) == nil else {
                node.fault("is given twice for this client; keep one")
                return nil
            }
            return token
        }
    }

    private func token(_ node: ConfigurationNode, server: ListenAddress?) -> Token? {
        guard node.isMapping else {
            return digest(node, server: server).map { Token(digest: $0, expires: nil, node: node) }
        }
        guard let members = node.mapping(keys: ["sha256", "expires"]) else { return nil }
        let expires = members["expires"]?.value("an RFC 3339 time", Timestamp.init(parsingRFC3339:))
        let digest = members.required("sha256", "`offer-signer clients token` makes a token and prints it")
            .flatMap { self.digest($0, server: server) }
        guard let digest else { return nil }
        if let node = members["expires"], let expires { warn(of: expires, at: node) }
        return Token(digest: digest, expires: expires, node: node)
    }

    /// Warns of a token that has ended, or will within a fortnight.
    private func warn(of end: Timestamp, at node: ConfigurationNode) {
        let now = WallClock.now()
        guard end < now.adding(days: 14) else { return }
        node.faults.warning(
            node.place,
            "\(end <= now ? "is over: the token is refused" : "is soon: the token is refused from then on"); make another one "
                + "with `offer-signer clients token`, and write its digest beside this one until the client has it"
        )
    }

    private func digest(_ node: ConfigurationNode, server: ListenAddress?) -> [UInt8]? {
        guard let digest = node.value("the SHA-256 of a token", TokenDigest.parse) else { return nil }
        if digest == DemoCredentials.tokenSHA256, let server, !server.isLoopback {
            node.fault(
                "is the demo token, which everyone knows, but server.host \(Echo.name(server.host)) is not a "
                    + "loopback address; make a token of your own with `offer-signer clients token`"
            )
        }
        return digest
    }

    private func apps(_ members: ConfigurationMapping, bundleIds: Set<String>?) -> Set<String> {
        let list = members.required("apps", "write the bundle ids that the client may ask for")
        let nodes = list?.filledList(of: "bundle ids", fix: "name at least one app, or remove the client") ?? []
        var apps: Set<String> = []
        for node in nodes {
            guard let bundleId = node.identifier() else { continue }
            apps.insert(bundleId)
            if let bundleIds, !bundleIds.contains(bundleId) {
                let hint = Echo.hint(for: bundleId, among: bundleIds.sorted())
                node.fault("\(Echo.name(bundleId)) is not an app of the catalog; \(hint)")
            }
        }
        return apps
    }
}
