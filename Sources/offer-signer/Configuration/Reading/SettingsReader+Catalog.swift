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

    /// `server` is the public listener's address, `nil` when it is not known.
    func catalog(
        _ root: ConfigurationNode,
        server: ListenAddress?,
        isGroupReadable: Bool,
        hasNotifications: Bool
    ) -> Catalog {
        guard let list = root.mapping(keys: ["apps"])?.required("apps", "write the list of your apps"),
            let nodes = list.filledList(of: "apps", fix: "write at least one app")
        else { return Catalog(bundleIds: nil) }
        var catalog = Catalog()
        var uses = FirstUses<String>()
        var appleIds = FirstUses<Int>()
        var keyUses = KeyUses()
        for node in nodes {
            let members = node.mapping(keys: Self.appKeys, replaced: Self.replacedAppKeys)
            let idNode = members?.required("bundleId", "write the app's bundle id as in App Store Connect")
            let bundleId = idNode?.identifier()
            uses.claim(bundleId, at: idNode, "the bundle id of another app")
            if let bundleId {
                catalog.bundleIds?.insert(bundleId)
            } else {
                catalog.bundleIds = nil
            }
            guard let members else { continue }
            let keys = keys(members, server: server, isGroupReadable: isGroupReadable, &keyUses)
            guard let app = app(members, bundleId: bundleId, keys, hasNotifications: hasNotifications) else { continue }
            catalog.apps.append(app)
            warnOfSharedAppleId(app, at: members["appAppleId"], &appleIds)
        }
        return catalog
    }

    private static let appKeys = [
        "bundleId", "appAppleId", "environments", "issuerId", "keys", "sharedSecretFile", "receipts",
        "appStoreCacheSeconds", "requireAccount", "customerSeparator", "maximumAccountsPerTransaction",
        "subscriptionGroups", "retention",
    ]

    /// The keys of earlier versions, each with its fix.
    private static let replacedAppKeys = [
        "customerPattern": "write customerSeparator: the text that ends the customer's part of a name, such as \"-\""
    ]

    private func keys(
        _ members: ConfigurationMapping,
        server: ListenAddress?,
        isGroupReadable: Bool,
        _ uses: inout KeyUses
    ) -> [KeySettings] {
        guard needsKeys else { return [] }
        let list = members.required("keys", "write the list of the app's keys")
        let issuerId = members["issuerId"]?.value("an issuer id", Identifier.parseIssuer)
        return keys(list, issuerId: issuerId, server: server, isGroupReadable: isGroupReadable, &uses)
    }

    private func app(
        _ members: ConfigurationMapping,
        bundleId: String?,
        _ keys: [KeySettings],
        hasNotifications: Bool
    ) -> AppSettings? {
        let appAppleId = members["appAppleId"]?.wholeNumber(in: 1...Int.max)
        let environments = members["environments"]?.choices(
            "an environment",
            of: AppStoreEnvironment.allCases,
            fix: "name at least one environment, or leave the key out for Production"
        )
        let sharedSecret = sharedSecret(members["sharedSecretFile"])
        let receipts = members["receipts"]?.choice("a way to look up receipts", of: ReceiptLookup.allCases)
        if receipts == .serverAPI, let node = members["receipts"], let key = keys.first, key.issuerId == nil {
            faults.warning(
                node.place,
                "asks the App Store Server API, which needs the issuerId of key \(key.id); write issuerId on the app "
                    + "or on the key. Until then receipts are refused"
            )
        }
        // Nothing of verifyReceipt is set up where neither is written.
        let asked = receipts == .verifyReceipt ? members["receipts"] : members["sharedSecretFile"]
        if receipts ?? .verifyReceipt == .verifyReceipt, let node = asked, keys.first?.issuerId != nil {
            faults.warning(
                node.place,
                "has receipts looked up by verifyReceipt, which Apple has called deprecated and may end on any day, though the "
                    + "app has an issuerId: write receipts: serverAPI. What is lost are receipts without a transaction"
            )
        }
        let cacheSeconds = members["appStoreCacheSeconds"]?.wholeNumber(in: 0...3600)
        let requiresAccount = members["requireAccount"]?.boolean()
        let customerSeparator = members["customerSeparator"]?.value("a separator", CustomerSeparator.parse)
        if customerSeparator?.cutsUUIDs == true, let node = members["customerSeparator"] {
            faults.warning(
                node.place,
                "may be a part of a UUID: of a name that has one, but does not begin with it and the separator, the customer "
                    + "may be a piece of the UUID, which others share with their limits; if your names have UUIDs, choose a "
                    + "separator that no UUID has, such as \":\""
            )
        }
        let accounts = members["maximumAccountsPerTransaction"]?.wholeNumber(in: 1...1_000_000)
        var offers = OfferReader(requiresAccount: requiresAccount ?? false)
        let groups = offers.groups(members.required("subscriptionGroups", "write the list of subscription groups"))
        let retention = retention(members, groups, keys, hasNotifications: hasNotifications)
        guard let bundleId else { return nil }
        return AppSettings(
            app: App(
                bundleId: bundleId,
                environments: environments ?? [.production],
                requiresAccount: requiresAccount ?? false,
                customerSeparator: customerSeparator,
                maximumAccountsPerTransaction: accounts ?? EvidenceSharing.defaultMaximumAccounts,
                subscriptionGroups: groups
            ),
            appAppleId: appAppleId.map(Int64.init),
            keys: keys,
            sharedSecret: sharedSecret,
            receipts: receipts ?? .verifyReceipt,
            appStoreCacheSeconds: cacheSeconds ?? 10,
            retention: retention
        )
    }

    /// Apple gives each app its own: with another's, its notifications and answers in production are refused.
    private func warnOfSharedAppleId(_ app: AppSettings, at node: ConfigurationNode?, _ uses: inout FirstUses<Int>) {
        guard let id = app.appAppleId, let node, let first = uses.record(Int(id), at: node.place) else { return }
        faults.warning(
            node.place,
            "is also \(first.keyPath)\(first.line.map { ", on line \($0)" } ?? ""); each app has its own (Apple ID, "
                + "under App Information in App Store Connect). With a wrong one, Apple's signed data of production "
                + "is refused"
        )
    }

    /// Nothing of the file's content is repeated.
    private func sharedSecret(_ node: ConfigurationNode?) -> SharedSecret? {
        guard readsNamedFiles, let node, let path = existingFile(node, "the file that holds the shared secret") else {
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
