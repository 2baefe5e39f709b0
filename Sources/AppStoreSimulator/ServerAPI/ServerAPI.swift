import Offers
import StrictJSON

/// The calls of the App Store Server API about transactions, for one app in one environment.
struct ServerAPI {
    /// How many transactions a page of the history has.
    static let pageSize = 20

    /// The app that the caller's token is for.
    let app: StoreApp
    /// Which of the two addresses was called.
    let environment: AppStoreEnvironment
    /// The App Store's state, up to date.
    let world: AppStoreWorld
    /// The simulator's signer.
    let signer: AppStoreSigner

    private func payloads(of customer: StoreCustomer) -> SignedPayloads {
        SignedPayloads(app, customer, signedDate: world.clock.now, signer: signer)
    }

    /// Get All Subscription Statuses.
    ///
    /// - Parameters:
    ///   - id: Any transaction id of the customer.
    ///   - statuses: The statuses asked for, each a number from 1 to 5; none asks for all.
    /// - Returns: `StatusResponse`.
    /// - Throws: `ServerAPIError`, or `SimulatorFault` when nothing can be signed.
    func subscriptionStatuses(_ id: String, statuses: [String]) throws -> [UInt8] {
        let wanted = try Set(
            statuses.map { text in
                guard let status = Int64(text), (1...5).contains(status) else { throw ServerAPIError.invalidStatus }
                return status
            }
        )
        let customer = try customer(of: id)
        let payloads = payloads(of: customer)
        let subscriptions = customer.subscriptions.filter { wanted.isEmpty || wanted.contains($0.status) }
        var groups: [(id: String, items: [SignedItem])] = []
        for subscription in subscriptions {
            let item = try SignedItem(subscription, payloads)
            let group = subscription.latest.groupId
            if let index = groups.firstIndex(where: { $0.id == group }) {
                groups[index].items.append(item)
            } else {
                groups.append((group, [item]))
            }
        }
        return JSONWriter.text { json in
            json.member("environment", environment.rawValue)
            json.member("bundleId", app.bundleId)
            if environment == .production { json.member("appAppleId", app.appAppleId) }
            json.list("data", groups) { group, json in
                json.object { json in
                    json.member("subscriptionGroupIdentifier", group.id)
                    json.list("lastTransactions", group.items) { $0.write(into: &$1) }
                }
            }
        }
    }

    /// Get Transaction Info.
    ///
    /// - Parameter id: The transaction's id.
    /// - Returns: `TransactionInfoResponse`.
    /// - Throws: `ServerAPIError`, or `SimulatorFault` when nothing can be signed.
    func transactionInfo(_ id: String) throws -> [UInt8] {
        let customer = try customer(of: id)
        guard let transaction = customer.transaction(id) else { throw ServerAPIError.transactionIdNotFound }
        let signed = try payloads(of: customer).signed(transaction)
        return JSONWriter.text { $0.member("signedTransactionInfo", signed) }
    }

    /// Get Transaction History, version 2.
    ///
    /// - Parameters:
    ///   - id: Any transaction id of the customer.
    ///   - revision: Where to go on, from the page before.
    ///   - sort: `ASCENDING`, which is the default, or `DESCENDING`.
    ///   - filter: Which transactions are asked for.
    /// - Returns: `HistoryResponse`.
    /// - Throws: `ServerAPIError`, or `SimulatorFault` when nothing can be signed.
    func history(
        _ id: String,
        revision: String?,
        sort: String?,
        filter: HistoryFilter = HistoryFilter()
    ) throws -> [UInt8] {
        let customer = try customer(of: id)
        let wanted = customer.transactions.filter(filter.lets)
        let transactions: [StoreTransaction]
        switch sort {
        case nil, "ASCENDING": transactions = wanted.reversed()
        case "DESCENDING": transactions = wanted
        default: throw ServerAPIError.invalidSort
        }
        // The revision names the first transaction of the next page.
        var start = 0
        if let revision {
            guard let index = transactions.firstIndex(where: { "\($0.transactionId)_rev" == revision }) else {
                throw ServerAPIError.invalidRevision
            }
            start = index + 1
        }
        let page = transactions[start...].prefix(Self.pageSize)
        let payloads = payloads(of: customer)
        let signed = try page.map { try payloads.signed($0) }
        return JSONWriter.text { json in
            json.optional("revision", page.last.map { "\($0.transactionId)_rev" } ?? revision)
            json.flag("hasMore", start + page.count < transactions.count)
            json.member("bundleId", app.bundleId)
            if environment == .production { json.member("appAppleId", app.appAppleId) }
            json.member("environment", environment.rawValue)
            json.list("signedTransactions", signed) { $1.string($0) }
        }
    }

    private func customer(of id: String) throws(ServerAPIError) -> StoreCustomer {
        guard !id.isEmpty, id.utf8.count <= 32, id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalidTransactionId
        }
        guard let customer = world.customers.index(owning: id).map({ world.customers.all[$0] }),
            customer.bundleId == app.bundleId, customer.environment == environment
        else { throw .transactionIdNotFound }
        return customer
    }
}
