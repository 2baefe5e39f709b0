import Offers

/// The customers, to be found by name and by every identifier of theirs, however many there are.
struct CustomerList: Sendable {
    /// The customers, in the order in which they were added.
    private(set) var all: [StoreCustomer] = []
    /// The first moment at which a subscription renews or ends; earlier when something has changed since it was found.
    private(set) var nextChange = Timestamp(millisecondsSince1970: .min)

    private var names: [String: Int] = [:]
    private var owners: [String: Int] = [:]

    /// Adds a customer.
    ///
    /// - Parameter customer: The customer, whose name nobody has yet.
    mutating func add(_ customer: StoreCustomer) {
        names[customer.name] = all.count
        owners[customer.appTransactionId] = all.count
        for transaction in customer.transactions { owners[transaction.transactionId] = all.count }
        all.append(customer)
    }

    /// Looks a customer up by name.
    ///
    /// - Parameter name: The name.
    /// - Returns: The place in ``all``; `nil` when nobody has it.
    func index(named name: String) -> Int? { names[name] }

    /// Looks a customer up by the identifier of a transaction, or of the download of the app.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The place in ``all``; `nil` when it is nobody's.
    func index(owning id: String) -> Int? { owners[id] }

    /// Puts a subscription in the place of one, or behind the others.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - position: Its place among the customer's; `nil` for a new one.
    ///   - index: The customer's place in ``all``.
    mutating func set(_ subscription: StoreSubscription, at position: Int?, of index: Int) {
        if let position {
            all[index].subscriptions[position] = subscription
        } else {
            all[index].subscriptions.append(subscription)
        }
        for transaction in subscription.transactions { owners[transaction.transactionId] = index }
        nextChange = Timestamp(millisecondsSince1970: .min)
    }

    /// Finds out at which moment something happens next.
    mutating func findNextChange() {
        let moments = all.lazy.flatMap(\.subscriptions).compactMap(\.nextChange)
        nextChange = moments.min() ?? Timestamp(millisecondsSince1970: .max)
    }
}
