import AppStore
import Crypto
import Offers
import SubscriptionKeys

extension ConfigurationInUse {
    /// The values of a service that was loaded; what only a restart changes is as the process was started with.
    init(of service: LoadedService, startedWith running: Settings) {
        let settings = service.settings
        var values = settings.recorded
        for entry in SettingTable.scalars where entry.kind.isShown && !entry.kind.isAddress {
            let text = (entry.changes == .atReload ? settings : running).values.text(entry)
                .map { (try? entry.kind.parse($0)) ?? $0 }
            if let text, entry.fallback != .value(text) { values[entry.keyPath] = text }
        }
        values["server.tls"] = running.tls.map { _ in "on" }
        values["notifications"] = running.listeners.notifications.map { _ in "on" }
        for (list, roots) in [("roots", settings.appleRoots), ("additionalRoots", settings.additionalRoots)] {
            values["appStore." + list] = roots.isEmpty ? nil : Self.list(roots.map(\.sha256).sorted())
        }
        for (index, app) in settings.apps.enumerated() {
            let path = Self.element(app.app.bundleId, of: "apps") + "."
            func add(_ keyId: String, _ text: String) { values[path + Self.element(keyId, of: "keys")] = text }
            for key in app.keys { values[path + Self.element(key.id, of: "keys") + ".issuerId"] = key.issuerId }
            for (place, key) in service.keys[index].enumerated() {
                let use = place == 0 ? "signs" : "recognises"
                add(key.keyIdentifier, "\(use), public key \(Hexadecimal.text(key.publicKeySHA256))")
            }
            for key in service.retiredKeys[index] {
                let fingerprint = Hexadecimal.text(SHA256.hash(data: key.publicKey.derRepresentation))
                add(key.keyIdentifier, "retired, public key \(fingerprint)")
            }
            for (index, rule) in (app.retention ?? []).enumerated() {
                let path = path + Self.element("\(index + 1)", of: "retention")
                values[path] = "there"
                for (name, text) in rule.recorded { values[path + "." + name] = text }
            }
        }
        self.init(values)
    }

    static func element(_ id: String, of list: String) -> String { "\(list)[\(quoted(id))]" }

    static func list(_ words: some Sequence<String>) -> String { words.map(quoted).joined(separator: ", ") }

    /// Two lists of words are never written the same.
    private static func quoted(_ word: String) -> String {
        guard word.utf8.contains(where: ", []\"".utf8.contains) || word.isEmpty else { return word }
        return "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension RetentionRule {
    fileprivate var recorded: [String: String] {
        var values = ["message": message.name]
        values["products"] = products.map { ConfigurationInUse.list($0.sorted()) }
        switch proposal {
        case .message: break
        case .offer(let id, let productId):
            values["offer"] = ConfigurationInUse.list([id] + (productId.map { [$0] } ?? []))
        case .switchTo(let productId, let plan):
            values["switchTo"] = ConfigurationInUse.list([productId] + (plan.map { [$0.rawValue] } ?? []))
        }
        for (locale, id) in message.identifiers { values[ConfigurationInUse.element(locale, of: "messages")] = id }
        return values
    }
}

extension OfferKey {
    /// The value on record; `nil` for the default.
    func recorded(of terms: PromotionalOffer.Terms) -> String? {
        let text = text(of: terms)
        return text == self.text(of: PromotionalOffer.Terms()) ? nil : text
    }

    private func text(of terms: PromotionalOffer.Terms) -> String? {
        switch kind {
        case .states(let place): ConfigurationInUse.list(terms[keyPath: place].map(\.rawValue).sorted())
        case .moment(let place): terms[keyPath: place]?.rfc3339
        case .number(_, let place): terms[keyPath: place].map { "\($0)" }
        case .days(_, let place): "\(terms[keyPath: place])"
        case .scope(let place): terms[keyPath: place].rawValue
        case .treatment(let place): terms[keyPath: place].rawValue
        case .products(let place), .storefronts(let place):
            terms[keyPath: place].map { ConfigurationInUse.list($0.sorted()) }
        case .lapseReasons(let place):
            terms[keyPath: place].map { ConfigurationInUse.list($0.map(\.rawValue).sorted()) }
        case .holdout(let place):
            terms[keyPath: place].map {
                ConfigurationInUse.list(["\($0.percent) percent"] + ($0.name.map { [$0] } ?? []))
            }
        }
    }
}
