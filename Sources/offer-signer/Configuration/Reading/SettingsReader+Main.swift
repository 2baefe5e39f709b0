import AppStore
import FoundationEssentials
import OfferAPI
import Offers
import Storage

extension SettingsReader {
    /// The file's values, by key path.
    struct MainFile {
        var values: [String: SettingLayers.Given] = [:]
        var lists: [String: ConfigurationNode] = [:]
        var sections: Set<String> = []
    }

    /// Reads the keys of the table of settings, and no others; `nil` when the file is no mapping at all.
    func mainFile(_ root: ConfigurationNode) -> MainFile? {
        var file = MainFile()
        return readSection("", in: root, into: &file) ? file : nil
    }

    /// Reads a section, with the sections in it; the prefix ends in a point, and that of the file itself is empty.
    private func readSection(_ prefix: String, in node: ConfigurationNode, into file: inout MainFile) -> Bool {
        let isMapping = node.mapping { section in
            for entry in SettingTable.entries where entry.keyPath.hasPrefix(prefix) {
                let key = String(entry.keyPath.dropFirst(prefix.count).prefix { $0 != "." })
                guard let node = section.member(key) else { continue }
                if prefix + key != entry.keyPath {
                    guard file.sections.insert(prefix + key).inserted else { continue }
                    _ = readSection(prefix + key + ".", in: node, into: &file)
                } else if entry.isList {
                    file.lists[entry.keyPath] = node
                } else {
                    let text = node.text(of: entry.kind)
                    file.values[entry.keyPath] = text.map { SettingLayers.Given(text: $0, place: node.place) }
                }
            }
            return true
        }
        return isMapping == true
    }

    /// Roots of Apple's, each with the digest by which it is one.
    func appleRoots(_ file: MainFile) -> [TrustedRoot] {
        let node = file.lists[SettingTable.shared.appleRoots.entry.keyPath]
        return (node?.list() ?? []).compactMap { element in
            element.mapping { root -> TrustedRoot? in
                let file = root.member("file", required: "name Apple's certificate, DER or PEM")
                let digest = root.value(
                    "sha256",
                    .sha256,
                    required: "write the SHA-256 that Apple publishes for the certificate"
                )
                guard let file, let roots = certificates(file), let digest else { return nil }
                guard roots.count == 1, roots[0].sha256 == digest else {
                    root.member("sha256")?.fault(
                        "is not the SHA-256 of the one certificate in the file: take both from Apple's page of certificates, "
                            + "and compare with `openssl x509 -in FILE -noout -fingerprint -sha256`"
                    )
                    return nil
                }
                return roots[0]
            }
        }
    }

    func additionalRoots(_ file: MainFile) -> [TrustedRoot] {
        let node = file.lists[SettingTable.shared.additionalRoots.entry.keyPath]
        return (node?.list() ?? []).flatMap { element -> [TrustedRoot] in
            guard let roots = certificates(element) else { return [] }
            element.warn(
                "the service trusts what this root signs as if the App Store had signed it; use this for tests only"
            )
            return roots
        }
    }

    private func certificates(_ node: ConfigurationNode) -> [TrustedRoot]? {
        guard let path = existingFile(node, "a certificate, DER or PEM") else { return nil }
        if let roots = try? TrustedRoot.roots(in: Array(Data(contentsOf: URL(filePath: path)))) { return roots }
        node.fault(
            "\(Echo.path(path)) holds no X.509 certificate, or a damaged one; name a file in DER, or in PEM with each "
                + "certificate between the lines BEGIN CERTIFICATE and END CERTIFICATE"
        )
        return nil
    }

    func ledger(_ layers: SettingLayers) -> LedgerSettings? {
        let digestKeyFile = ledgerKeyFile(
            \.ledgerDigestKeyFile,
            "the digest key",
            layers,
            minimumBytes: DigestKey.minimumBytes
        )
        let checkpointKeyFile = ledgerKeyFile(\.ledgerCheckpointKeyFile, "the checkpoint key, a P8", layers)
        // A malformed URL has its fault already.
        guard !layers.isMalformed(\.ledgerURL) else { return nil }
        if case .postgres(let url) = layers.ledgerURL {
            if let warning = (try? PostgreSQLLocation(url: url))?.warning {
                faults.warning(layers.place(\.ledgerURL), warning)
            }
            let keys: [SettingLayers.Key<String?>] = [\.ledgerDigestKeyFile, \.ledgerCheckpointKeyFile]
            for key in keys where !layers.isGiven(key) {
                faults.fault(
                    layers.place(key),
                    "is missing; a ledger in PostgreSQL needs it, the same for all replicas"
                )
            }
        }
        return LedgerSettings(
            location: absolute(layers.ledgerURL, isGiven: layers.isGiven(\.ledgerURL)),
            origin: layers.isGiven(\.ledgerURL) ? .url : directory.hasState ? .stateDirectory : .none,
            digestKeyFile: digestKeyFile,
            checkpointKeyFile: checkpointKeyFile
        )
    }

    private func ledgerKeyFile(
        _ key: SettingLayers.Key<String?>,
        _ kind: String,
        _ layers: SettingLayers,
        minimumBytes: Int = 0
    ) -> LedgerKeyFile? {
        let place = layers.place(key)
        guard let text = layers[dynamicMember: key],
            let path = existingFile(text, kind, at: place, minimumBytes: minimumBytes)
        else { return nil }
        let file = LedgerKeyFile(path: path, isCredential: directory.isCredential(path))
        do throws(ValueFault) {
            let isGroupReadable = layers.keysGroupReadable || file.isCredential
            try RegularFile.checkIsPrivate(path, isGroupReadable: isGroupReadable)
        } catch {
            faults.fault(place, "\(Echo.path(path)) \(error.message)")
        }
        return file
    }

    private func absolute(_ location: LedgerLocation, isGiven: Bool) -> LedgerLocation {
        guard case .sqlite(let path) = location else { return location }
        return .sqlite(path: isGiven ? directory.resolve(path) : directory.stateFile(path))
    }
}

extension SettingsReader {
    /// Looks whether the App Store can confirm signed transactions where that is asked for.
    func checkConfirmation(_ layers: SettingLayers, of apps: [AppSettings], _ clients: [OfferAPI.Client]) {
        guard layers.evidenceConfirmSignedTransactions else { return }
        let place = layers.place(\.evidenceConfirmSignedTransactions)
        for app in apps where app.keys.first?.issuerId == nil && clients.maySendSignedTransactions(of: app) {
            faults.fault(
                place,
                "needs the App Store Server API for \(Echo.known(app.app.bundleId)), whose clients may send signed "
                    + "transactions; write the issuerId beside the app's first key, or leave signedTransactions out of the "
                    + "clients' evidence"
            )
        }
    }

    /// Warns of offers that count or look further back than something is kept: what was deleted cannot count.
    func warnOfShortRetention(_ layers: SettingLayers, of apps: [AppSettings]) {
        let offers = apps.flatMap(\.app.subscriptionGroups).flatMap(\.products).flatMap(\.offers)
        func warn(
            _ key: SettingLayers.Key<Int?>,
            _ days: (PromotionalOffer.Terms) -> Int?,
            _ words: (String, Int) -> String
        ) {
            let asked = offers.compactMap { offer in days(offer.terms).map { (id: offer.id, days: $0) } }
            guard let kept = layers[dynamicMember: key], let longest = asked.max(by: { $0.days < $1.days }),
                longest.days > kept
            else { return }
            faults.warning(layers.place(key), words("of the offer \(Echo.known(longest.id))", longest.days))
        }
        warn(\.ledgerRetentionDays, \.signatureLimit?.periodDays) { offer, days in
            "maximumSignaturesPerCustomer \(offer) counts those of \(days) days, and deleted records cannot count; keep "
                + "records for \(days) days, or shorten signaturePeriodDays"
        }
        warn(\.ledgerEndedSubscriptionDays, \.maximumLapsedDays) { offer, days in
            "maximumLapsedDays \(offer) is \(days), and customers who lapsed before subscriptions are deleted get no_evidence "
                + "without evidence; hold them for \(days) days"
        }
    }
}

extension [OfferAPI.Client] {
    /// Whether any of them may send signed transactions of an app's customers: a customer may leave some out, which
    /// nobody sees.
    func maySendSignedTransactions(of app: AppSettings) -> Bool {
        contains { $0.evidence.contains(.signedTransactions) && $0.apps.contains(app.app.bundleId) }
    }
}
