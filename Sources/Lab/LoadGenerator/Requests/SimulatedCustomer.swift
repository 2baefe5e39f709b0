import StrictJSON

/// A customer of the App Store simulator, with the evidence that the customer's device has.
struct SimulatedCustomer: Decodable {
    struct Subscription: Decodable {
        let originalTransactionId: String
        let transactionId: String
        let appAccountToken: String?
    }

    /// The answer of `GET /simulator/customers`.
    struct List: Decodable {
        let customers: [SimulatedCustomer]
    }

    let bundleId: String
    /// Base64.
    let receipt: String
    let subscriptions: [Subscription]

    /// The value of `evidence`, JSON; `nil` where it is not the simulator's, and where there is no subscription.
    func evidence(_ kind: EvidenceMix.Kind) -> [UInt8]? {
        guard let first = subscriptions.first else { return nil }
        switch kind {
        case .receipt: return RequestBody.evidence { $0.member("receipt", receipt) }
        case .transactionId: return RequestBody.evidence { $0.member("transactionId", first.transactionId) }
        case .receiptResponse, .signedTransactions, .held: return nil
        }
    }

    /// The account that the customer's requests name.
    var account: String? {
        subscriptions.first.map { $0.appAccountToken ?? RequestBody.account(of: $0.originalTransactionId) }
    }
}
