import AppStore
import ArgumentParser
import OfferAPI
import OfferService
import Offers
import SubscriptionKeys

/// Whether `serve` would start, and with which apps, keys, ledger and clients.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reads everything that serve would read, loads the keys, and prints what it found."
    )

    @Flag(help: "Also exit with 78 if there are only warnings: for a pipeline.")
    var strict = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let service = try options.load(logsWarnings: false, checking: .beforeStart)
        let settings = service.settings
        var warnings = service.settings.warnings.map(\.description) + hostWarnings(settings)
        if let warning = settings.tls?.warning(at: WallClock.now()) { warnings.append(warning) }
        warnings += historyWarnings(settings)
        SigningStack.tryRoom()
        if let warning = SigningStack.warning { warnings.append(warning) }
        for warning in warnings { Console.message("warning: \(warning)") }
        let ledger = try await ledger(settings)
        for warning in ledger.warnings { Console.message("warning: \(warning)") }
        warnings += ledger.warnings
        for (app, (keys, retired)) in zip(settings.apps, zip(service.keys, service.retiredKeys)) {
            let products = app.app.subscriptionGroups.flatMap(\.products)
            let offers = products.reduce(0) { $0 + $1.offers.count }
            try Console.result(
                "\(app.app.bundleId): \(app.app.subscriptionGroups.count.of("subscription group")), "
                    + "\(products.count.of("product")), \(offers.of("offer"))"
            )
            if let retention = app.retention {
                try Console.result("  retention: \(retention.count.of("rule"))")
            }
            if app.keys.first?.issuerId == nil {
                try Console.result(
                    "  without issuerId: transactionId as evidence and the format jws are refused; if clients need them, "
                        + "write it on the app in the catalog"
                )
            }
            if app.keys.first?.issuerId != nil, !settings.evidenceConfirmSignedTransactions,
                settings.clients.maySendSignedTransactions(of: app)
            {
                try Console.result(
                    "  recommended: evidence: { confirmSignedTransactions: true }; a customer who sends only old signed "
                        + "transactions hides what came since, and the App Store is asked before they make eligible"
                )
            }
            for (index, key) in keys.enumerated() {
                let token = (key as? TokenKey).map { "in the token \(Echo.known($0.description.token)), " } ?? ""
                try Console.result(
                    "  key \(key.keyIdentifier): P-256, "
                        + "public key SHA-256 \(Hexadecimal.text(key.publicKeySHA256)), "
                        + "\(token)self-test passed\(index == 0 ? ", signs" : "")"
                )
            }
            for key in retired { try Console.result("  key \(key.keyIdentifier): P-256, public key only") }
        }
        for root in settings.appleRoots { try Console.result("root of Apple's: SHA-256 \(root.sha256)") }
        try Console.result("key memory: \(service.keyMemoryName)")
        try Console.result("ledger: \(ledger.finding)")
        for client in settings.clients {
            let evidence = EvidenceKind.allCases.filter(client.evidence.contains).map(\.rawValue)
            let environments = client.environments.map { counted in
                let names = AppStoreEnvironment.allCases.filter(counted.contains).map(\.rawValue)
                return "; of \(names.joined(separator: ", ")) alone"
            }
            try Console.result(
                "client \(client.name): \(client.apps.sorted().joined(separator: ", ")); "
                    + "may send \(evidence.joined(separator: ", "))\(environments ?? "")"
            )
        }
        guard !strict || warnings.isEmpty else {
            Console.message("error: \(warnings.count.of("warning")), and --strict allows none")
            throw ExitCode.badConfiguration
        }
        try Console.result("The configuration is in order.")
    }

    /// Warnings of hosts that this machine does not know: serve fails if its machine does not know them either.
    private func hostWarnings(_ settings: Settings) -> [String] {
        let table = SettingTable.shared
        let hosts: [(setting: Setting<String>, host: String?)] = [
            (table.serverHost, settings.serverHost), (table.adminHost, settings.adminHost),
            (table.notificationsHost, settings.listeners.notifications?.host),
        ]
        return hosts.compactMap { setting, host in
            guard let host, let fault = HostName.lookupFault(host) else { return nil }
            return "\(setting.entry.keyPath): \(Echo.name(host)) is not known to this machine (\(fault)); on such a "
                + "machine serve cannot listen"
        }
    }

    /// Warnings of apps whose missed notifications nobody can fetch.
    private func historyWarnings(_ settings: Settings) -> [String] {
        guard settings.listeners.notifications != nil, settings.notificationsHistorySeconds > 0 else { return [] }
        return settings.apps.filter { $0.keys.first?.issuerId == nil }.map { app in
            "\(app.app.bundleId): notifications that do not come are lost, because Apple's history is asked with the issuer of "
                + "the app's key; write issuerId on the app in the catalog, or set "
                + "\(SettingTable.shared.notificationsHistorySeconds.entry.keyPath): 0"
        }
    }

    private func ledger(_ settings: Settings) async throws -> LedgerCheckup {
        do throws(ValueFault) {
            return try await LedgerCheckup(settings)
        } catch {
            Console.message("error: \(settings.values.fault(of: \.ledgerURL, error.message))")
            throw ExitCode.badConfiguration
        }
    }
}
