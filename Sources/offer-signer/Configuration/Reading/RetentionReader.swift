import Offers

/// Reads the `retention` section of one app in `catalog.yaml`.
struct RetentionReader {
    let groups: [SubscriptionGroup]

    /// Rules at fault are left out.
    func rules(_ node: ConfigurationNode?) -> [RetentionRule]? {
        guard let node, let members = node.mapping(keys: ["messages", "rules"]) else { return nil }
        let messages = messages(members.required("messages", "write the messages that Apple has approved, by name"))
        let list = members.required("rules", "write the list of rules; the first that fits counts")
        let nodes = list?.filledList(of: "rules", fix: "write at least one rule, or leave retention out") ?? []
        let read = nodes.compactMap { rule($0, messages).map { (rule: $0, node: $1) } }
        warnOfRulesNeverAsked(read)
        if let list, read.count == nodes.count { warnOfCustomersWithoutAnswer(list, read.map(\.rule)) }
        return read.map(\.rule)
    }

    // MARK: Messages

    /// A message; `nil` where it is at fault, so that rules that name it have no second fault.
    private typealias Messages = [String: RetentionMessage?]

    private func messages(_ node: ConfigurationNode?) -> Messages? {
        guard let entries = node?.entries(of: "message names") else { return nil }
        if entries.isEmpty { node?.fault("is empty; write at least one message") }
        return Dictionary(entries.map { ($0.key, message($0)) }, uniquingKeysWith: { first, _ in first })
    }

    private func message(_ entry: ConfigurationMapping.Member) -> RetentionMessage? {
        guard let locales = entry.value.entries(of: "locales") else { return nil }
        var uses = FirstUses<String>()
        var identifiers: [String: String] = [:]
        var standard: String?
        for locale in locales {
            guard let identifier = locale.value.value("a message identifier", Self.identifier) else { continue }
            if locale.key == "default" {
                standard = identifier
            } else if Self.isLocale(locale.key) {
                uses.claim(locale.key.lowercased(), at: locale.value, "a locale of this message, in other case")
                identifiers[locale.key] = identifier
            } else {
                locale.value.fault(
                    "\(Echo.name(locale.key)) is not a locale; write a language or a locale as Apple does, such as "
                        + "de or pt-BR, or default"
                )
            }
        }
        guard locales.contains(where: { $0.key == "default" }) else {
            entry.value.fault("has no default; write the identifier for all other locales under default")
            return nil
        }
        return standard.map { RetentionMessage(name: entry.key, standard: $0, byLocale: identifiers) }
    }

    private static func identifier(_ text: String) throws(ValueFault) -> String {
        guard AppAccountToken(text) != nil else {
            throw ValueFault(
                "is not a message identifier, which is the UUID under which the message was sent to Apple"
            )
        }
        return text
    }

    /// Whether a text looks like a locale: a language of two or three letters, and more parts of letters and digits.
    private static func isLocale(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let areShort = parts.dropFirst().allSatisfy { (1...8).contains($0.count) }
        let arePlain = parts.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
        return (2...3).contains(parts[0].count) && parts[0].allSatisfy(\.isLetter) && areShort && arePlain
    }

    // MARK: Rules

    private static let keys = ["products", "offer", "offerProduct", "switchTo", "billingPlanType", "message"]

    private func rule(
        _ node: ConfigurationNode,
        _ messages: Messages?
    ) -> (RetentionRule, ConfigurationNode)? {
        guard let members = node.mapping(keys: Self.keys) else { return nil }
        let products = self.products(members["products"])
        let proposal = proposal(members, for: products)
        let name = members.required("message", "name a message of messages; every answer shows one")
        guard let name, let text = name.identifier(), let messages else { return nil }
        guard let message = messages[text] else {
            let hint = Echo.hint(for: text, among: messages.keys.sorted())
            name.fault("\(Echo.name(text)) is no message of this app; \(hint)")
            return nil
        }
        guard let message, let proposal, members["products"] == nil || products != nil else { return nil }
        return (RetentionRule(products: products, proposal: proposal, message: message), node)
    }

    /// The products that a rule is for; `nil` for all, and where one is at fault.
    private func products(_ list: ConfigurationNode?) -> Set<String>? {
        let nodes = list?.filledList(
            of: "product ids",
            fix: "the rule would be for nobody; name at least one product, or leave the key out for all"
        )
        guard let nodes else { return nil }
        let products = nodes.compactMap { product($0)?.id }
        return products.count == nodes.count ? Set(products) : nil
    }

    private func proposal(
        _ members: ConfigurationMapping,
        for products: Set<String>?
    ) -> RetentionRule.Proposal? {
        if members["offer"] != nil, let other = members["switchTo"] {
            other.fault("is in one rule with offer, but Apple shows only one of the two; write two rules")
            return nil
        }
        if members["offer"] == nil, let product = members["offerProduct"] {
            product.fault("names the product of an offer, but the rule has no offer; add offer, or remove this")
        }
        if members["switchTo"] == nil, let plan = members["billingPlanType"] {
            plan.fault(
                "says how the other product is paid, but the rule has no other product; add switchTo, or remove this"
            )
        }
        if let node = members["offer"] { return offer(node, members["offerProduct"], for: products) }
        guard let node = members["switchTo"] else { return .message }
        let plan = members["billingPlanType"]?.choice(
            "a billing plan type",
            of: RetentionRule.BillingPlanType.allCases
        )
        guard let other = product(node), isOfGroup(of: products, other, node) else { return nil }
        if products?.contains(other.id) == true {
            node.fault("is one of the products that the rule is for; name another one of their group")
            return nil
        }
        if members["billingPlanType"] != nil, plan == nil { return nil }
        return .switchTo(productId: other.id, billingPlanType: plan)
    }

    private func offer(
        _ node: ConfigurationNode,
        _ productNode: ConfigurationNode?,
        for products: Set<String>?
    ) -> RetentionRule.Proposal? {
        var named: Product?
        if let productNode {
            guard let product = product(productNode), isOfGroup(of: products, product, productNode) else { return nil }
            named = product
        }
        guard let id = node.identifier() else { return nil }
        let all = groups.flatMap(\.products)
        let meant = named.map { [$0] } ?? products.map { ids in all.filter { ids.contains($0.id) } }
        // Without a product, the offer is of whichever product of the app the customer has.
        let anywhere = all.contains { $0.offer(id) != nil } ? [] : all
        let lacking = meant.map { $0.filter { $0.offer(id) == nil } } ?? anywhere
        if let product = lacking.first {
            let home = meant == nil ? "any product of this app" : Echo.known(product.id)
            let known = (meant == nil ? all : [product]).flatMap(\.offers).map(\.id)
            let hint = Echo.hint(for: id, among: known)
            node.fault("\(Echo.name(id)) is no offer of \(home) in the catalog; \(hint)")
            return nil
        }
        if (meant ?? all).contains(where: { $0.offer(id)?.terms.signatureLimit != nil }) {
            node.faults.warning(
                node.place,
                "has maximumSignaturesPerCustomer, and every call counts, as Apple calls each time a customer looks "
                    + "at the subscription; after so many calls the next rules decide. To count only redemptions, use "
                    + "maxRedemptions"
            )
        }
        return .offer(id: id, productId: named?.id)
    }

    private func product(_ node: ConfigurationNode) -> Product? {
        guard let id = node.identifier() else { return nil }
        let all = groups.flatMap(\.products)
        if let product = all.first(where: { $0.id == id }) { return product }
        let hint = Echo.hint(for: id, among: all.map(\.id))
        node.fault("\(Echo.name(id)) is no product of this app in the catalog; \(hint)")
        return nil
    }

    private func isOfGroup(of products: Set<String>?, _ product: Product, _ node: ConfigurationNode) -> Bool {
        guard let products else { return true }
        func group(of id: String) -> String? { groups.first { $0.products.contains { $0.id == id } }?.id }
        let home = group(of: product.id)
        guard let other = products.sorted().first(where: { group(of: $0) != home }) else { return true }
        node.fault(
            "\(Echo.known(product.id)) is in another group than \(Echo.known(other)), whose customers the rule is for; name a "
                + "product of the same group: Apple shows no other"
        )
        return false
    }

    /// Warns where no rule answers everybody: Apple then gives what App Store Connect has, and asks no rule.
    private func warnOfCustomersWithoutAnswer(_ list: ConfigurationNode, _ rules: [RetentionRule]) {
        let app = App(bundleId: "", subscriptionGroups: groups)
        guard !rules.isEmpty, !rules.contains(where: { $0.appliesToEverybody(of: nil, in: app) }) else { return }
        list.faults.warning(
            list.place,
            "has no rule that takes everybody, so that Apple answers customers whom no rule fits, with any offer that App "
                + "Store Connect has for them; add a last rule with a message alone, such as - { message: NAME }"
        )
    }

    /// Warns of rules that nobody gets to, as earlier rules answer everybody.
    private func warnOfRulesNeverAsked(_ rules: [(rule: RetentionRule, node: ConfigurationNode)]) {
        // The catalog's products alone count here, and no bundle identifier does.
        let app = App(bundleId: "", subscriptionGroups: groups)
        for (index, later) in rules.enumerated() {
            func isTaken(_ productId: String?) -> Bool {
                rules[..<index].contains { $0.rule.appliesToEverybody(of: productId, in: app) }
            }
            let isNeverAsked = later.rule.products.map { $0.allSatisfy { isTaken($0) } } ?? isTaken(nil)
            guard isNeverAsked else { continue }
            later.node.faults.warning(
                later.node.place,
                "never applies: the rules before it already cover all of its customers; move it before them, or "
                    + "remove it"
            )
        }
    }
}

extension SettingsReader {
    func retention(
        _ members: ConfigurationMapping,
        _ groups: [SubscriptionGroup],
        _ keys: [KeySettings],
        hasNotifications: Bool
    ) -> [RetentionRule]? {
        guard let node = members["retention"] else { return nil }
        let rules = RetentionReader(groups: groups).rules(node)
        if members["appAppleId"] == nil {
            node.fault(
                "needs appAppleId on the app, because Apple's calls identify the app by it (Apple ID, under App "
                    + "Information in App Store Connect)"
            )
        }
        if let key = keys.first, key.issuerId == nil {
            node.fault("needs the issuerId of key \(key.id), which signs the offers; write issuerId on the app")
        }
        if !hasNotifications {
            node.fault(
                "needs the listener that Apple calls; write notifications: { host: 0.0.0.0, port: 8081 } into "
                    + "offer-signer.yaml"
            )
        }
        return rules
    }
}
