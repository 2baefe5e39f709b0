import Offers

/// Reads the `retention` section of one app in `catalog.yaml`.
struct RetentionReader {
    private let groups: [SubscriptionGroup]
    private let product: ValueKind<String>

    init(groups: [SubscriptionGroup]) {
        self.groups = groups
        product = .product(of: groups)
    }

    /// Rules at fault are left out.
    func rules(_ node: ConfigurationNode) -> [RetentionRule]? {
        node.mapping { retention in
            let messages = messages(
                retention.member("messages", required: "write the messages that Apple has approved, by name")
            )
            let list = retention.member("rules", required: "write the list of rules; the first that fits counts")
            let nodes = list?.list(empty: "write at least one rule, or leave retention out") ?? []
            let read = nodes.compactMap { node in
                node.mapping { rule($0, messages) }.map { (rule: $0, node: node) }
            }
            warnOfRulesNeverAsked(read)
            if let list, read.count == nodes.count { warnOfCustomersWithoutAnswer(list, read.map(\.rule)) }
            return read.map(\.rule)
        }
    }

    /// A message; `nil` where it is at fault, so that rules that name it have no second fault.
    private typealias Messages = [String: RetentionMessage?]

    private func messages(_ node: ConfigurationNode?) -> Messages? {
        guard let node, let entries = node.entries(of: "message names") else { return nil }
        if entries.isEmpty { node.fault("is empty; write at least one message") }
        return Dictionary(entries.map { ($0.key, message($0)) }, uniquingKeysWith: { first, _ in first })
    }

    private func message(_ entry: ConfigurationNode.Member) -> RetentionMessage? {
        guard let locales = entry.node.entries(of: "locales") else { return nil }
        let uses = FirstUses<String>()
        var identifiers: [String: String] = [:]
        for locale in locales {
            if locale.key.wholeMatch(of: /[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*|default/) == nil {
                locale.node.fault(
                    "\(Echo.name(locale.key)) is not a locale; write a language or a locale as Apple does, such as "
                        + "de or pt-BR, or default"
                )
            }
            uses.claim(locale.key.lowercased(), at: locale.node)
            identifiers[locale.key] = locale.node.value(.messageId)
        }
        guard locales.contains(where: { $0.key == "default" }) else {
            entry.node.fault("has no default; write the identifier for all other locales under default")
            return nil
        }
        let standard = identifiers.removeValue(forKey: "default")
        return standard.map { RetentionMessage(name: entry.key, standard: $0, byLocale: identifiers) }
    }

    private func rule(_ rule: Members, _ messages: Messages?) -> RetentionRule? {
        let products = rule.values("products", of: product)
        let proposal = proposal(rule, for: products)
        let name = rule.value(
            "message",
            .identifier(of: "message of this app", among: messages.map { Set($0.keys) }),
            required: "name a message of messages; every answer shows one"
        )
        guard let name, let message = messages?[name] ?? nil, let proposal else { return nil }
        return RetentionRule(products: products, proposal: proposal, message: message)
    }

    private func proposal(_ rule: Members, for products: Set<String>?) -> RetentionRule.Proposal? {
        let (offer, offerProduct) = (rule.member("offer"), rule.member("offerProduct"))
        let (switchTo, plan) = (rule.member("switchTo"), rule.member("billingPlanType"))
        if offer != nil, let switchTo {
            switchTo.fault("is in one rule with offer, but Apple shows only one of the two; write two rules")
            return nil
        }
        if offer == nil, let offerProduct {
            offerProduct.fault("names the product of an offer, but the rule has no offer; add offer, or remove this")
        }
        if switchTo == nil, let plan {
            plan.fault(
                "says how the other product is paid, but the rule has no other product; add switchTo, or remove this"
            )
        }
        if let offer { return self.offer(offer, offerProduct, for: products) }
        guard let switchTo else { return .message }
        let planType = plan?.value(.choice) as RetentionRule.BillingPlanType?
        guard let other = switchTo.value(product), isOfGroup(of: products, other, switchTo) else { return nil }
        if products?.contains(other) == true {
            switchTo.fault("is one of the products that the rule is for; name another one of their group")
            return nil
        }
        return .switchTo(productId: other, billingPlanType: planType)
    }

    private func offer(
        _ node: ConfigurationNode,
        _ productNode: ConfigurationNode?,
        for products: Set<String>?
    ) -> RetentionRule.Proposal? {
        let named = productNode?.value(product)
        if let productNode {
            guard let named, isOfGroup(of: products, named, productNode) else { return nil }
        }
        guard let id = node.value(.identifier) else { return nil }
        let all = groups.flatMap(\.products)
        let meant = (named.map { [$0] } ?? products).map { ids in all.filter { ids.contains($0.id) } }
        // Without a product, the offer is of whichever product of the app the customer has.
        let anywhere = all.contains { $0.offer(id) != nil } ? [] : all
        let lacking = meant.map { $0.filter { $0.offer(id) == nil } } ?? anywhere
        if let product = lacking.first {
            let home = meant == nil ? "any product of this app" : Echo.known(product.id)
            let known = (meant == nil ? all : [product]).flatMap(\.offers).map(\.id)
            node.fault("\(Echo.name(id)) is no offer of \(home) in the catalog; \(Echo.hint(for: id, among: known))")
            return nil
        }
        if (meant ?? all).contains(where: { $0.offer(id)?.terms.signatureLimit != nil }) {
            node.warn(
                "has maximumSignaturesPerCustomer, and every call counts, as Apple calls each time a customer looks "
                    + "at the subscription; after so many calls the next rules decide. To count only redemptions, use "
                    + "maxRedemptions"
            )
        }
        return .offer(id: id, productId: named)
    }

    private func isOfGroup(of products: Set<String>?, _ product: String, _ node: ConfigurationNode) -> Bool {
        guard let products else { return true }
        func group(of id: String) -> String? { groups.first { $0.products.contains { $0.id == id } }?.id }
        let home = group(of: product)
        guard let other = products.sorted().first(where: { group(of: $0) != home }) else { return true }
        node.fault(
            "\(Echo.known(product)) is in another group than \(Echo.known(other)), whose customers the rule is for; name a "
                + "product of the same group: Apple shows no other"
        )
        return false
    }

    /// Warns where no rule answers everybody: Apple then gives what App Store Connect has, and asks no rule.
    private func warnOfCustomersWithoutAnswer(_ list: ConfigurationNode, _ rules: [RetentionRule]) {
        let app = App(bundleId: "", subscriptionGroups: groups)
        guard !rules.isEmpty, !rules.contains(where: { $0.appliesToEverybody(of: nil, in: app) }) else { return }
        list.warn(
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
            later.node.warn(
                "never applies: the rules before it already cover all of its customers; move it before them, or "
                    + "remove it"
            )
        }
    }
}

extension SettingsReader {
    func retention(_ app: Members, _ groups: [SubscriptionGroup], _ keys: [KeySettings]) -> [RetentionRule]? {
        guard let node = app.member("retention") else { return nil }
        let rules = RetentionReader(groups: groups).rules(node)
        if app.member("appAppleId") == nil {
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
