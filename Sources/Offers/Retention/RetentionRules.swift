/// A rule for customers who are about to cancel, of the `retention` section of an app in the catalog: its customers, and
/// the answer that the App Store is to show them.
///
/// Of an app's rules the first that fits counts, in the catalog's order.
package struct RetentionRule: Equatable, Sendable {
    /// The part shown beside the message.
    package enum Proposal: Equatable, Sendable {
        case message
        /// A promotional offer, signed; of the customer's own product where none is named.
        case offer(id: String, productId: String?)
        /// Another product of the customer's group, and how it is paid where that is to be said.
        case switchTo(productId: String, billingPlanType: BillingPlanType?)
    }

    /// How a product is paid; the raw values are Apple's.
    package enum BillingPlanType: String, CaseIterable, Sendable {
        /// The whole period at its beginning.
        case billedUpfront = "BILLED_UPFRONT"
        /// Month by month, for a commitment of several months.
        case monthly = "MONTHLY"
    }

    /// The products whose customers it is for; `nil` for all.
    package let products: Set<String>?
    package let proposal: Proposal
    package let message: RetentionMessage

    package init(products: Set<String>? = nil, proposal: Proposal = .message, message: RetentionMessage) {
        self.products = products
        self.proposal = proposal
        self.message = message
    }

    /// Whether every customer of a product gets its answer, so that no later rule is ever asked about that product.
    ///
    /// The product is `nil` for one that the catalog does not have.
    package func appliesToEverybody(of productId: String?, in app: App) -> Bool {
        if let products, !(productId.map(products.contains) ?? false) { return false }
        switch proposal {
        case .message: return true
        case .offer: return false
        case .switchTo(let other, _): return productId.map { app.areSwitchable($0, other) } ?? false
        }
    }
}

/// A message by its name in the catalog: its identifiers at Apple, by the customer's locale.
package struct RetentionMessage: Equatable, Sendable {
    package let name: String
    /// The identifier, a UUID, where no locale fits better.
    package let standard: String

    /// By locale, in lower case.
    private let byLocale: [String: String]

    /// Takes identifiers by locales, such as `pt-BR`, or languages, such as `de`.
    package init(name: String, standard: String, byLocale: [String: String] = [:]) {
        self.name = name
        self.standard = standard
        self.byLocale = Dictionary(
            byLocale.map { (Self.normalized($0.key), $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// All identifiers by their locales, the standard one as `default`.
    package var identifiers: [String: String] { byLocale.merging(["default": standard]) { locale, _ in locale } }

    /// The identifier for a locale as Apple names it, such as `de-AT`, and the locale of the catalog that it stands
    /// under.
    ///
    /// It is the locale's own, else that of the longest beginning of it (RFC 4647 §3.4), at last that of its language,
    /// else the standard one.
    package func identifier(for locale: String?) -> (identifier: String, locale: String) {
        var tag = locale.map(Self.normalized) ?? ""
        while !tag.isEmpty {
            if let identifier = byLocale[tag] { return (identifier, tag) }
            tag = tag.lastIndex(of: "-").map { String(tag[..<$0]) } ?? ""
        }
        return (standard, "default")
    }

    /// As locales are compared: case does not count (RFC 5646 §2.1.1).
    private static func normalized(_ locale: String) -> String {
        locale.lowercased().replacing("_", with: "-")
    }
}

extension App {
    /// Whether both products are of one group of the catalog, and not the same.
    package func areSwitchable(_ productId: String, _ other: String) -> Bool {
        guard productId != other, let group = product(productId)?.group.id else { return false }
        return product(other)?.group.id == group
    }
}
