import StrictJSON

/// A customer of the App Store simulator, with the evidence that the customer's device has.
struct SimulatedCustomer {
    struct Subscription {
        var originalTransactionId = ""
        var transactionId = ""
        var appAccountToken: String?
    }

    private(set) var name = ""
    private(set) var bundleId = ""
    /// The app receipt, Base64.
    private(set) var receipt = ""
    private(set) var subscriptions: [Subscription] = []

    static func list(json: [UInt8]) throws(JSONFault) -> [SimulatedCustomer] {
        var reader = JSONReader(json)
        var customers: [SimulatedCustomer] = []
        try reader.readObject { (name, reader) throws(JSONFault) in
            guard name == "customers" else {
                try reader.skipValue()
                return
            }
            try reader.readArray { (_, reader) throws(JSONFault) in
                customers.append(try SimulatedCustomer(reading: &reader))
            }
        }
        return customers
    }

    private init(reading reader: inout JSONReader) throws(JSONFault) {
        var customer = SimulatedCustomer()
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "name": customer.name = try reader.readString()
            case "bundleId": customer.bundleId = try reader.readString()
            case "receipt": customer.receipt = try reader.readString()
            case "subscriptions":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    customer.subscriptions.append(try Self.readSubscription(&reader))
                }
            default: try reader.skipValue()
            }
        }
        self = customer
    }

    private init() {}

    private static func readSubscription(_ reader: inout JSONReader) throws(JSONFault) -> Subscription {
        var subscription = Subscription()
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "originalTransactionId": subscription.originalTransactionId = try reader.readString()
            case "transactionId": subscription.transactionId = try reader.readString()
            case "appAccountToken": subscription.appAccountToken = try reader.readString()
            default: try reader.skipValue()
            }
        }
        return subscription
    }

    /// The value of `evidence`, JSON; `nil` where it is not the simulator's, and where there is no subscription.
    func evidence(_ kind: EvidenceMix.Kind) -> [UInt8]? {
        guard let first = subscriptions.first else { return nil }
        switch kind {
        case .receipt: return RequestBody.evidence { $0.member("receipt", receipt) }
        case .transactionId: return RequestBody.evidence { $0.member("transactionId", first.transactionId) }
        case .receiptResponse, .signedTransactions, .held: return nil
        }
    }

    var account: String? {
        guard let first = subscriptions.first else { return nil }
        return first.appAccountToken ?? RequestBody.account(of: first.originalTransactionId)
    }
}
