import Foundation
import Testing

@Suite("Every kind of evidence, with the stand-in App Store")
struct SimulatedEvidenceTests {
    private static let states = ["lapsed", "active", "refunded"]

    private let installation: Installation
    private let appStore: RunningAppStore

    init() throws {
        installation = try Installation()
        let customers = Self.states.map { "{ name: \($0), subscriptions: [{ product: pro.monthly, state: \($0) }] }" }
        appStore = try RunningAppStore(for: installation, customers: "[\(customers.joined(separator: ", "))]")
    }

    private func service(receipts: String) throws -> RunningService {
        let url = "http://127.0.0.1:\(appStore.address.port)"
        try installation.directory.write(
            "offer-signer.yaml",
            """
            server: { host: 127.0.0.1, port: 0 }
            admin: { host: 127.0.0.1, port: 0 }
            catalog: catalog.yaml
            clients: clients.yaml
            appStore:
              verifyReceiptURL: \(url)/verifyReceipt
              sandboxVerifyReceiptURL: \(url)/sandbox/verifyReceipt
              serverAPIURL: \(url)
              sandboxServerAPIURL: \(url)/sandbox
              additionalRoots: [\(appStore.root)]
            """
        )
        try installation.directory.write(
            "catalog.yaml",
            """
            apps:
              - bundleId: \(Installation.bundleId)
                environments: [Production, Sandbox]
                keys:
                  - id: TESTKEY001
                    file: SubscriptionKey_TESTKEY001.p8
                    issuerId: 57246542-96fe-1a63-e053-0824d011072a
                receipts: \(receipts)
                subscriptionGroups: [{ id: "20900001", products: [{ id: pro.monthly, offers: [{ id: anyone }] }] }]
            """
        )
        return try RunningService(installation)
    }

    @Test("A customer is the same customer by whatever evidence", arguments: ["verifyReceipt", "serverAPI"])
    func kinds(receipts: String) throws {
        let service = try service(receipts: receipts)
        for state in Self.states {
            let customer = try appStore.ask("GET", "/simulator/customers/\(state)").json
            let receipt = try #require(customer["receipt"] as? String)
            let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
            func text(_ member: String) throws -> String { try #require(subscription[member] as? String) }
            let kinds = [
                #""receiptResponse":\#(try appStore.receiptResponse(of: state))"#, #""receipt":"\#(receipt)""#,
                #""transactionId":"\#(try text("transactionId"))""#,
                #""signedTransactions":["\#(try text("signedTransaction"))"],"signedRenewalInfos":["# + "\""
                    + (try text("signedRenewalInfo")) + "\"]",
            ]
            for evidence in kinds {
                for path in ["/v1/signatures", "/v1/eligibility"] {
                    let response = try Connection(to: service.server).request(
                        "POST",
                        path,
                        body: #"{"evidence":{\#(evidence)},"offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
                    )
                    let body = String(decoding: response.body, as: UTF8.self)
                    #expect(response.status == 200, "\(evidence.prefix(40)) \(body)")
                    #expect(response.decisions.first?["reason"] as? String == state, "\(evidence.prefix(40)) \(body)")
                }
            }
        }
    }
}
