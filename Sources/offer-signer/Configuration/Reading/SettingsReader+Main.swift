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

    /// Reads a section, with the sections in it; the file itself has an empty key path.
    private func readSection(_ section: String, in node: ConfigurationNode, into file: inout MainFile) -> Bool {
        let prefix = section.isEmpty ? "" : section + "."
        var keys: [String] = []
        for entry in SettingTable.entries where entry.keyPath.hasPrefix(prefix) {
            let key = String(entry.keyPath.dropFirst(prefix.count).prefix { $0 != "." })
            if !keys.contains(key) { keys.append(key) }
        }
        guard let members = node.mapping(keys: keys) else { return false }
        file.sections.insert(section)
        for member in members.members {
            let keyPath = prefix + member.key
            guard let entry = SettingTable.entries.first(where: { $0.keyPath == keyPath }) else {
                _ = readSection(keyPath, in: member.value, into: &file)
                continue
            }
            guard !entry.isList else {
                file.lists[keyPath] = member.value
                continue
            }
            let text = entry.isPlain ? member.value.plain(entry.needed) : member.value.scalar(entry.needed)?.text
            file.values[keyPath] = text.map { SettingLayers.Given(text: $0, place: member.value.place) }
        }
        return true
    }

    /// Roots of Apple's, each with the digest by which it is one.
    func appleRoots(_ file: MainFile) -> [TrustedRoot] {
        let node = file.lists[SettingTable.shared.appleRoots.entry.keyPath]
        var uses = FirstUses<String>()
        return (node?.list(of: "roots") ?? []).compactMap { element -> TrustedRoot? in
            guard let members = element.mapping(keys: ["file", "sha256"]) else { return nil }
            let file = members.required("file", "name Apple's certificate, DER or PEM")
            let digestNode = members.required("sha256", "write the SHA-256 that Apple publishes for the certificate")
            let digest = digestNode?.value("a SHA-256", Self.digest)
            guard let file, let digestNode, let path = existingFile(file, "a certificate, DER or PEM") else {
                return nil
            }
            guard let roots = try? TrustedRoot.roots(in: Array(Data(contentsOf: URL(filePath: path)))), roots.count == 1
            else {
                file.fault(
                    "\(Echo.path(path)) cannot be read, or does not hold one X.509 certificate; name a file in DER, or in PEM "
                        + "between the lines BEGIN CERTIFICATE and END CERTIFICATE"
                )
                return nil
            }
            guard let digest else { return nil }
            guard roots[0].sha256 == digest else {
                digestNode.fault(
                    "is not the SHA-256 of \(Echo.path(path)): take both from Apple's page of certificates, and compare with "
                        + "`openssl x509 -in FILE -noout -fingerprint -sha256`"
                )
                return nil
            }
            uses.claim(digest, at: digestNode, "another root of this list")
            return roots[0]
        }
    }

    /// 64 hexadecimal digits, also with colons between them, as openssl prints them.
    private static func digest(_ text: String) throws(ValueFault) -> String {
        let digits = text.filter { $0 != ":" }.lowercased()
        guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else {
            throw ValueFault("is no SHA-256; write its 64 hexadecimal digits")
        }
        return digits
    }

    func additionalRoots(_ file: MainFile) -> [TrustedRoot] {
        let node = file.lists[SettingTable.shared.additionalRoots.entry.keyPath]
        let elements = node?.list(of: "certificate files") ?? []
        return elements.flatMap { element -> [TrustedRoot] in
            guard let path = existingFile(element, "a certificate, DER or PEM") else { return [] }
            guard let roots = try? TrustedRoot.roots(in: Array(Data(contentsOf: URL(filePath: path)))) else {
                element.fault(
                    "\(Echo.path(path)) holds no X.509 certificate, or a damaged one; name a file in DER, or in PEM with each "
                        + "certificate between the lines BEGIN CERTIFICATE and END CERTIFICATE"
                )
                return []
            }
            faults.warning(
                element.place,
                "the service trusts what this root signs as if the App Store had signed it; use this for tests only"
            )
            return roots
        }
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

    /// Warns of limits over more days than records are kept: deleted ones cannot be counted.
    func warnOfShortRetention(_ layers: SettingLayers, of apps: [AppSettings]) {
        guard let days = layers.ledgerRetentionDays else { return }
        let offers = apps.flatMap(\.app.subscriptionGroups).flatMap(\.products).flatMap(\.offers)
        let periods = offers.compactMap { offer in
            offer.terms.signatureLimit.map { (id: offer.id, days: $0.periodDays) }
        }
        guard let longest = periods.max(by: { $0.days < $1.days }), longest.days > days else { return }
        faults.warning(
            layers.place(\.ledgerRetentionDays),
            "keeps records for \(days) days, but maximumSignaturesPerCustomer of the offer \(Echo.known(longest.id)) "
                + "counts those of \(longest.days) days, and deleted ones cannot count; keep records for "
                + "\(longest.days) days, or shorten signaturePeriodDays"
        )
    }

    /// Warns of offers for customers who have lapsed longer ago than their subscriptions are held.
    func warnOfForgottenSubscriptions(_ layers: SettingLayers, of apps: [AppSettings]) {
        guard let days = layers.ledgerEndedSubscriptionDays else { return }
        let offers = apps.flatMap(\.app.subscriptionGroups).flatMap(\.products).flatMap(\.offers)
        let spans = offers.compactMap { offer in
            offer.terms.maximumLapsedDays.map { (id: offer.id, days: $0) }
        }
        guard let longest = spans.max(by: { $0.days < $1.days }), longest.days > days else { return }
        faults.warning(
            layers.place(\.ledgerEndedSubscriptionDays),
            "holds subscriptions for \(days) days after their end, but maximumLapsedDays of the offer "
                + "\(Echo.known(longest.id)) is \(longest.days): customers who lapsed longer ago get no_evidence without "
                + "evidence; hold them for \(longest.days) days"
        )
    }
}

extension [OfferAPI.Client] {
    /// Whether any of them may send signed transactions of an app's customers: a customer may leave some out, which
    /// nobody sees.
    func maySendSignedTransactions(of app: AppSettings) -> Bool {
        contains { $0.evidence.contains(.signedTransactions) && $0.apps.contains(app.app.bundleId) }
    }
}
