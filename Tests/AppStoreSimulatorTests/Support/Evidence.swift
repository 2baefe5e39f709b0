import Foundation
import Testing

@testable import AppStoreSimulator

/// What Apple's two services say of a customer, decoded.
struct Evidence {
    /// The history of the Server API, oldest first.
    let history: [[String: Any]]
    /// `lastTransactions` of all groups.
    let statuses: [(status: Int, transaction: [String: Any], renewal: [String: Any])]
    /// `latest_receipt_info`, newest first.
    let rows: [[String: String]]
    /// `pending_renewal_info`.
    let entries: [[String: String]]

    init(of name: String, in store: SimulatedAppStore) throws {
        let world = store.current()
        let customer = try #require(world.customer(name))
        let app = try #require(world.app(customer.bundleId))
        let api = ServerAPI(app: app, environment: customer.environment, world: world, signer: store.signer)
        let id = customer.appTransactionId
        let page = try JSON.object(try api.history(id, revision: nil, sort: nil))
        history = try (page["signedTransactions"] as? [String] ?? []).map { try JSON.part(1, of: $0) }
        let data = try JSON.object(try api.subscriptionStatuses(id, statuses: []))["data"] as? [[String: Any]] ?? []
        statuses = try data.flatMap { $0["lastTransactions"] as? [[String: Any]] ?? [] }.map { item in
            (
                try #require(item["status"] as? Int),
                try JSON.part(1, of: try #require(item["signedTransactionInfo"] as? String)),
                try JSON.part(1, of: try #require(item["signedRenewalInfo"] as? String))
            )
        }
        let receipt = try StoreReceipt.text(of: customer, at: world.clock.now, signer: store.signer)
        let answer = try JSON.object(
            VerifyReceiptAnswer.answer(
                Array(try JSON.text(["receipt-data": receipt]).utf8),
                in: customer.environment,
                world: world,
                signer: store.signer
            )
        )
        rows = answer["latest_receipt_info"] as? [[String: String]] ?? []
        entries = answer["pending_renewal_info"] as? [[String: String]] ?? []
    }
}
