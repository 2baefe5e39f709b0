/// A key of an offer in `catalog.yaml`: its reading, its row of the documentation, and the words for an offer with it.
///
/// A key with a rule is declared with it, in ``OfferRules`` or ``SubscriberRules``.
package struct OfferKey: Sendable {
    package typealias Terms = PromotionalOffer.Terms
    package typealias Place<Value> = any WritableKeyPath<Terms, Value> & Sendable

    /// A kind of value, with its place in the terms.
    package enum Kind: Sendable {
        case states(Place<Set<SubscriberState>>)
        case moment(Place<Timestamp?>)
        case number(ClosedRange<Int>, Place<Int?>)
        case days(ClosedRange<Int>, Place<Int>)
        case scope(Place<OfferScope>)
        case treatment(Place<OfferTreatment>)
        case products(Place<Set<String>?>)
        case lapseReasons(Place<Set<LapseReason>?>)
        case storefronts(Place<Set<String>?>)
        case holdout(Place<Holdout?>)
    }

    package let name: String
    package let kind: Kind
    /// The default, where it is none of the kind's values.
    let without: String
    package let meaning: String
    /// The condition in a few words, for operators; `nil` where the offer has none by it, or it is shown otherwise.
    package let shown: @Sendable (Terms) -> String?
    /// Why no customer could meet it, in words that follow the key's name; `nil` where one can.
    package let unmeetable: @Sendable (Terms) -> String?
    /// Why it says nothing of any customer, in such words; `nil` where it does.
    package let pointless: @Sendable (Terms) -> String?
    /// Whether a customer meets it whatever became of a subscription that was to renew, given its end and the time.
    let staysOpen: @Sendable (Terms, Timestamp?, Timestamp) -> Bool

    init(
        _ name: String,
        _ kind: Kind,
        without: String = "none",
        _ meaning: String,
        shown: @escaping @Sendable (Terms) -> String? = { _ in nil },
        unmeetable: @escaping @Sendable (Terms) -> String? = { _ in nil },
        pointless: @escaping @Sendable (Terms) -> String? = { _ in nil },
        staysOpen: @escaping @Sendable (Terms, Timestamp?, Timestamp) -> Bool = { _, _, _ in true }
    ) {
        self.name = name
        self.kind = kind
        self.without = without
        self.meaning = meaning
        self.shown = shown
        self.unmeetable = unmeetable
        self.pointless = pointless
        self.staysOpen = staysOpen
    }

    /// All keys but `id`, in the order of the documentation.
    package static let all =
        OfferRules.ofWindow.compactMap(\.key) + SubscriberRules.inOrder.compactMap(\.key) + [
            signaturePeriodDays, scope,
        ]

    private static let signaturePeriodDays = OfferKey(
        "signaturePeriodDays",
        .days(1...36500, \.signaturePeriodDays),
        "the days of 24 hours in which signatures count for `maximumSignaturesPerCustomer`, 1 to 36500"
    )

    private static let scope = OfferKey(
        "scope",
        .scope(\.scope),
        "`group`: the customer must be, or have been, a subscriber in the product's group. `app`: in any group of the app, "
            + "which is Apple's own rule; the strongest state of all groups counts",
        shown: { $0.scope == .app ? "for subscribers of any group of the app" : nil }
    )
}

extension OfferKey {
    static func times(_ count: Int) -> String {
        switch count {
        case 1: "once"
        case 2: "twice"
        default: "\(count) times"
        }
    }

    static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }
}
