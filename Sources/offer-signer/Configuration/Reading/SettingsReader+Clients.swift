import OfferAPI
import Offers

/// `clients.yaml`.
extension SettingsReader {
    /// Reads the clients.
    ///
    /// - Parameters:
    ///   - root: The file.
    ///   - bundleIds: The apps of the catalog; `nil` when they are not known.
    ///   - server: The public listener's address; `nil` when it is not known.
    /// - Returns: The clients; those at fault are left out.
    func clients(
        _ root: ConfigurationNode,
        bundleIds: Set<String>?,
        server: ListenAddress?
    ) -> [ClientSettings] {
        let list = root.mapping(keys: ["clients"])?.required("clients", "write the list of clients")
        guard let list, let nodes = list.list(of: "clients") else { return [] }
        if nodes.isEmpty {
            faults.warning(list.place, "is empty, so nobody can ask for signatures; `offer-signer clients token` helps")
        }
        var names = FirstUses<String>()
        var tokens = FirstUses<[UInt8]>()
        return nodes.compactMap { node in
            guard let members = node.mapping(keys: Self.clientKeys) else { return nil }
            let nameNode = members.required("name", "logs know the client by it")
            let name = nameNode?.value("a name", Self.parseName)
            names.claim(name, at: nameNode, "the name of another client")
            let token = token(members, server: server)
            tokens.claim(token, at: members["tokenSHA256"], "the token of another client")
            let apps = apps(members, bundleIds: bundleIds)
            let scopes = members["scopes"]?.choices(
                "a scope",
                of: ClientScope.allCases,
                mend: "the client could do nothing; name at least one scope, or leave the key out for all"
            )
            let evidence = members["evidence"]?.choices(
                "a kind of evidence",
                of: EvidenceKind.allCases,
                mend: "the client could send nothing; name at least one kind, or leave the key out for all"
            )
            let rate = members["signaturesPerSecond"]?.wholeNumber(in: 1...1_000_000_000)
            guard let name, let token else { return nil }
            let client = Client(
                name: name,
                tokenSHA256: token,
                apps: apps,
                scopes: scopes ?? Set(ClientScope.allCases),
                evidence: evidence ?? Set(EvidenceKind.allCases)
            )
            return ClientSettings(client: client, signaturesPerSecond: rate)
        }
    }

    private static let clientKeys = ["name", "tokenSHA256", "apps", "signaturesPerSecond", "scopes", "evidence"]

    private static func parseName(_ text: String) throws(ValueFault) -> String {
        guard !Echo.looksLikeSecret(text) else {
            throw ValueFault("looks like a token, and logs repeat names; call the client by another name")
        }
        return try Identifier.parse(text)
    }

    private func token(_ members: ConfigurationMapping, server: ListenAddress?) -> [UInt8]? {
        let node = members.required("tokenSHA256", "`offer-signer clients token` makes a token and prints it")
        guard let node, let digest = node.value("the SHA-256 of a token", Hex.parseTokenSHA256) else { return nil }
        if digest == DemoCredentials.tokenSHA256, let server, !server.isLoopback {
            node.fault(
                "is the demo token, which everyone knows, and server.host \(Echo.quoted(server.host)) is not a "
                    + "loopback address; make a token of your own with `offer-signer clients token`"
            )
        }
        return digest
    }

    private func apps(_ members: ConfigurationMapping, bundleIds: Set<String>?) -> Set<String> {
        let list = members.required("apps", "write the bundle ids that the client may ask for")
        let nodes = list?.filledList(of: "bundle ids", mend: "name at least one app, or remove the client") ?? []
        var apps: Set<String> = []
        for node in nodes {
            guard let bundleId = node.identifier() else { continue }
            apps.insert(bundleId)
            if let bundleIds, !bundleIds.contains(bundleId) {
                let hint = NearestName.hint(for: bundleId, among: bundleIds.sorted())
                node.fault("\(Echo.quoted(bundleId)) is not an app of the catalog; \(hint)")
            }
        }
        return apps
    }
}
