import Offers
import StrictJSON

/// A customer as the simulator shows one: with every kind of evidence that the customer's device has.
struct CustomerView {
    private let customer: StoreCustomer
    private let receipt: String
    private let subscriptions: [(item: SignedItem, latest: StoreTransaction, receipt: String)]

    /// Signs what the device has.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - world: The App Store's state.
    ///   - signer: The simulator's signer.
    /// - Throws: `SimulatorFault` when something cannot be signed.
    init(_ customer: StoreCustomer, _ world: AppStoreWorld, _ signer: AppStoreSigner) throws {
        self.customer = customer
        let now = world.clock.now
        receipt = try AppReceipt.text(of: customer, at: now, signer: signer)
        guard let app = world.app(customer.bundleId) else { throw SimulatorFault("\(customer.bundleId) is not known") }
        let payloads = SignedPayloads(app, customer, signedDate: now, signer: signer)
        subscriptions = try customer.subscriptions.map { subscription in
            let latest = subscription.latest
            return (
                try SignedItem(subscription, payloads), latest,
                try TransactionReceipt.text(of: latest, customer: customer, signer: signer)
            )
        }
    }

    /// Writes the customer.
    ///
    /// - Parameter json: Where it is written.
    func write(into json: inout JSONWriter) {
        json.object { json in
            json.member("name", customer.name)
            json.member("bundleId", customer.bundleId)
            json.member("environment", customer.environment.rawValue)
            json.member("appTransactionId", customer.appTransactionId)
            json.member("receipt", receipt)
            json.list("subscriptions", subscriptions) { subscription, json in
                let (item, latest, receipt) = subscription
                json.object { json in
                    json.member("originalTransactionId", item.originalTransactionId)
                    json.member("transactionId", latest.transactionId)
                    json.member("productId", latest.productId)
                    json.member("subscriptionGroupIdentifier", latest.groupId)
                    json.member("status", item.status)
                    json.date("expiresDate", latest.expiresDate)
                    json.optional("appAccountToken", latest.appAccountToken)
                    json.member("transactionReceipt", receipt)
                    json.member("signedTransaction", item.transaction)
                    json.member("signedRenewalInfo", item.renewal)
                }
            }
        }
    }
}
