import AppStore
import Crypto
import OfferAPI
import Offers
import SubscriptionKeys

extension ConfigurationInUse {
    /// The values of a service that was loaded; what only a restart changes is as the process was started with.
    init(of service: LoadedService, startedWith running: Settings) {
        var values = PathValues()
        let settings = service.settings
        values.addSettings(settings, startedWith: running)
        for (index, app) in settings.apps.enumerated() {
            values.inside("apps", app.app.bundleId) { values in
                values.add(app)
                for key in app.keys { if let issuer = key.issuerId { values["keys", key.id, "issuerId"] = issuer } }
                for (place, key) in service.keys[index].enumerated() {
                    let use = place == 0 ? "signs" : "recognises"
                    values["keys", key.keyIdentifier] = "\(use), public key \(Hexadecimal.text(key.publicKeySHA256))"
                }
                for key in service.retiredKeys[index] {
                    let fingerprint = Hexadecimal.text(SHA256.hash(data: key.publicKey.derRepresentation))
                    values["keys", key.keyIdentifier] = "retired, public key \(fingerprint)"
                }
            }
        }
        for client in settings.clients { values.inside("clients", client.name) { $0.add(client) } }
        self.init(values.all)
    }
}

/// Values by their paths, at one place in the configuration.
private struct PathValues {
    private(set) var all: [String: String] = [:]
    private var place = ""

    /// A value of the place itself; of nothing there is none.
    subscript(name: String) -> String? {
        get { all[place + name] }
        set { all[place + name] = newValue }
    }

    /// A value of an element of a list.
    subscript(list: String, id: String, name: String = "") -> String? {
        get { self[Self.path(list, id, name)] }
        set { self[Self.path(list, id, name)] = newValue }
    }

    /// Writes the values of an element of a list, which is itself one.
    mutating func inside(_ list: String, _ id: String, _ write: (inout PathValues) -> Void) {
        let before = place
        self[list, id] = "there"
        place += Self.path(list, id, "") + "."
        write(&self)
        place = before
    }

    private static func path(_ list: String, _ id: String, _ name: String) -> String {
        "\(list)[\(quoted(id))]" + (name.isEmpty ? "" : "." + name)
    }

    static func list(_ words: some Sequence<String>) -> String { words.map(quoted).joined(separator: ", ") }

    /// Two lists of words are never written the same.
    private static func quoted(_ word: String) -> String {
        guard word.contains(where: { ", []\"".contains($0) }) || word.isEmpty else { return word }
        return "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension PathValues {
    mutating func addSettings(_ settings: Settings, startedWith running: Settings) {
        for entry in SettingTable.scalars where entry.isShown && !entry.isAddress {
            let values = entry.changes == .atReload ? settings.values : running.values
            self[entry.keyPath] = values.text(entry).map(entry.normal).flatMap { text in
                entry.fallback == .value(text) ? nil : text
            }
        }
        self["server.tls"] = running.tls.map { _ in "on" }
        self["notifications"] = running.listeners.notifications.map { _ in "on" }
        self["appStore.roots"] = Self.digests(settings.appleRoots.map(\.sha256))
        self["appStore.additionalRoots"] = Self.digests(settings.additionalRoots.map(\.sha256))
    }

    private static func digests(_ digests: [String]) -> String? { digests.isEmpty ? nil : list(digests.sorted()) }

    mutating func add(_ app: AppSettings) {
        self["appAppleId"] = app.appAppleId.map { "\($0)" }
        self["environments"] = Self.list(app.app.environments.map(\.rawValue).sorted())
        self["requireAccount"] = app.app.requiresAccount ? "true" : nil
        self["customerSeparator"] = app.app.customerSeparator.map { Self.list([$0.text]) }
        self["maximumAccountsPerTransaction"] = "\(app.app.maximumAccountsPerTransaction)"
        self["receipts"] = app.receipts.rawValue
        self["sharedSecretFile"] = app.sharedSecret.map { _ in "given" }
        self["appStoreCacheSeconds"] = "\(app.appStoreCacheSeconds)"
        for group in app.app.subscriptionGroups {
            for product in group.products {
                inside("products", product.id) { $0.add(product, of: group) }
            }
        }
        for (index, rule) in (app.retention ?? []).enumerated() { inside("retention", "\(index + 1)") { $0.add(rule) } }
    }

    private mutating func add(_ product: Product, of group: SubscriptionGroup) {
        self["group"] = group.id
        self["period"] = product.period?.iso8601
        self["level"] = product.level.map { "\($0)" }
        for offer in product.winBackOffers { self["winBackOffers", offer.id] = offer.url ?? "there" }
        for offer in product.offers {
            inside("offers", offer.id) { values in
                for key in OfferKey.all {
                    let text = values.text(key, of: offer.terms)
                    values[key.name] = text == values.text(key, of: PromotionalOffer.Terms()) ? nil : text
                }
            }
        }
    }

    private func text(_ key: OfferKey, of terms: PromotionalOffer.Terms) -> String? {
        switch key.kind {
        case .states(let place): Self.list(terms[keyPath: place].map(\.rawValue).sorted())
        case .moment(let place): terms[keyPath: place]?.rfc3339
        case .number(_, let place): terms[keyPath: place].map { "\($0)" }
        case .days(_, let place): "\(terms[keyPath: place])"
        case .scope(let place): terms[keyPath: place].rawValue
        case .treatment(let place): terms[keyPath: place].rawValue
        case .products(let place), .storefronts(let place): terms[keyPath: place].map { Self.list($0.sorted()) }
        case .lapseReasons(let place): terms[keyPath: place].map { Self.list($0.map(\.rawValue).sorted()) }
        case .holdout(let place):
            terms[keyPath: place].map { Self.list(["\($0.percent) percent"] + ($0.name.map { [$0] } ?? [])) }
        }
    }

    private mutating func add(_ rule: RetentionRule) {
        self["products"] = rule.products.map { Self.list($0.sorted()) }
        switch rule.proposal {
        case .message: break
        case .offer(let id, let productId): self["offer"] = Self.list([id] + (productId.map { [$0] } ?? []))
        case .switchTo(let productId, let plan):
            self["switchTo"] = Self.list([productId] + (plan.map { [$0.rawValue] } ?? []))
        }
        self["message"] = rule.message.name
        for (locale, identifier) in rule.message.identifiers { self["messages", locale] = identifier }
    }

    mutating func add(_ client: Client) {
        self["apps"] = Self.list(client.apps.sorted())
        self["scopes"] = Self.list(client.scopes.map(\.rawValue).sorted())
        self["evidence"] = Self.list(client.evidence.map(\.rawValue).sorted())
        self["environments"] = client.environments.map { Self.list($0.map(\.rawValue).sorted()) }
        self["signaturesPerSecond"] = client.signaturesPerSecond.map { "\($0)" }
        self["concurrentRequests"] = client.concurrentRequests.map { "\($0)" }
        let ends = client.expires.values.map(\.rfc3339).sorted()
        self["expires"] = ends.isEmpty ? nil : Self.list(ends)
        // A mark by which a change shows, and from which no digest can be found.
        let tokens = client.tokenSHA256.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
        self["tokens"] = Hexadecimal.text(SHA256.hash(data: tokens).prefix(4))
    }
}
