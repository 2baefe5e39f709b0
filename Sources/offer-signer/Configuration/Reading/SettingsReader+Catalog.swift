import AppStore
import FoundationEssentials
import Offers

extension SettingsReader {
    struct Catalog {
        /// Apps at fault are left out.
        var apps: [AppSettings] = []
        /// Of all apps; `nil` when one of them cannot be read.
        var bundleIds: Set<String>? = []
    }

    func catalog(_ root: ConfigurationNode) -> Catalog {
        var catalog = Catalog()
        let appleIds = FirstUses<Int64>()
        let apps = root.mapping { file in
            file.path = ""
            return file.things(
                "apps",
                id: "bundleId",
                required: "write the list of your apps",
                empty: "write at least one app",
                recordedIn: file
            ) { members, bundleId -> AppSettings? in
                if let bundleId { catalog.bundleIds?.insert(bundleId) } else { catalog.bundleIds = nil }
                let app = app(members, bundleId: bundleId)
                // With another app's, Apple's signed data of production is refused.
                appleIds.claim(app?.appAppleId, at: members.member("appAppleId"), isFault: false)
                return app
            }
        }
        guard let apps else { return Catalog(bundleIds: nil) }
        catalog.apps = apps
        return catalog
    }

    private func app(_ app: Members, bundleId: String?) -> AppSettings? {
        app.replaced["customerPattern"] =
            "write customerSeparator: the text that ends the customer's part of a name, such as \"-\""
        let appAppleId = app.value("appAppleId", .wholeNumber(1...Int.max))
        let environments = app.values("environments", of: .choice, default: [AppStoreEnvironment.production])
        let keys = keys(app)
        let sharedSecret = sharedSecret(app.member("sharedSecretFile"))
        app.record("sharedSecretFile", sharedSecret.map { _ in "given" })
        let receipts = app.value("receipts", .choice, default: ReceiptLookup.verifyReceipt)
        warnOfReceipts(app, receipts, keys)
        let cacheSeconds = app.value("appStoreCacheSeconds", .wholeNumber(0...3600), default: 10)
        let requiresAccount = app.member("requireAccount")?.value(.boolean) ?? false
        app.record("requireAccount", requiresAccount ? "true" : nil)
        let customerSeparator = app.value("customerSeparator", .separator)
        if customerSeparator?.cutsUUIDs == true {
            app.member("customerSeparator")?.warn(
                "may be a part of a UUID: of a name that has one, but does not begin with it and the separator, the customer "
                    + "may be a piece of the UUID, which others share with their limits; if your names have UUIDs, choose a "
                    + "separator that no UUID has, such as \":\""
            )
        }
        let accounts = app.value(
            "maximumAccountsPerTransaction",
            .wholeNumber(1...1_000_000),
            default: EvidenceSharing.defaultMaximumAccounts
        )
        let groups = OfferReader(app: app, requiresAccount: requiresAccount).groups()
        let retention = retention(app, groups, keys)
        guard let bundleId else { return nil }
        return AppSettings(
            app: App(
                bundleId: bundleId,
                environments: environments,
                requiresAccount: requiresAccount,
                customerSeparator: customerSeparator,
                maximumAccountsPerTransaction: accounts,
                subscriptionGroups: groups
            ),
            appAppleId: appAppleId.map(Int64.init),
            keys: keys,
            sharedSecret: sharedSecret,
            receipts: receipts,
            appStoreCacheSeconds: cacheSeconds,
            retention: retention
        )
    }

    private func warnOfReceipts(_ app: Members, _ receipts: ReceiptLookup, _ keys: [KeySettings]) {
        guard let key = keys.first else { return }
        if receipts == .serverAPI, key.issuerId == nil {
            app.member("receipts")?.warn(
                "asks the App Store Server API, which needs the issuerId of key \(key.id); write issuerId on the app "
                    + "or on the key. Until then receipts are refused"
            )
        }
        if receipts == .verifyReceipt, key.issuerId != nil {
            // Nothing of verifyReceipt is set up where neither is written.
            (app.member("receipts") ?? app.member("sharedSecretFile"))?.warn(
                "has receipts looked up by verifyReceipt, which Apple has called deprecated and may end on any day, though the "
                    + "app has an issuerId: write receipts: serverAPI. What is lost are receipts without a transaction"
            )
        }
    }

    /// Nothing of the file's content is repeated.
    private func sharedSecret(_ node: ConfigurationNode?) -> SharedSecret? {
        guard let node, let path = existingFile(node, "the file that holds the shared secret"), readsNamedFiles else {
            return nil
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)), let secret = SharedSecret(contents: Array(data))
        else {
            node.fault(
                "the file holds no shared secret; write the one of App Store Connect into it, "
                    + "32 hexadecimal digits in one line"
            )
            return nil
        }
        return secret
    }
}
