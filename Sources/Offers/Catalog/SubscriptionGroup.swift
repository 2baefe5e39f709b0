/// A subscription group: the products between which a customer switches, holding one at a time.
public final class SubscriptionGroup: Sendable {
    /// The group's identifier, `subscription_group_identifier` in Apple's answers: digits.
    public let id: String
    /// The products of the group, in the catalog's order.
    public let products: [Product]

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - id: The group's identifier.
    ///   - products: Its products.
    public init(id: String, products: [Product]) {
        self.id = id
        self.products = products
    }
}

extension SubscriptionGroup: Equatable {
    /// Whether two say the same.
    public static func == (left: SubscriptionGroup, right: SubscriptionGroup) -> Bool {
        left.id == right.id && left.products == right.products
    }
}
