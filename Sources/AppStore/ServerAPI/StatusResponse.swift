import Offers
import StrictJSON

/// The answer of Get All Subscription Statuses (`StatusResponse`).
struct StatusResponse {
    /// One subscription of the customer (`lastTransactionsItem`).
    struct Item {
        /// The subscription.
        var originalTransactionId = ""
        /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
        var status: Int64 = 0
        /// Its newest transaction, a JWS.
        var signedTransaction: String?
        /// Its renewal info, a JWS.
        var signedRenewalInfo: String?
    }

    /// The app.
    private(set) var bundleId: String?
    /// The app's Apple ID; production alone has it.
    private(set) var appAppleId: Int64?
    /// The environment that answered; `nil` for none of Apple's.
    private(set) var environment: AppStoreEnvironment?
    /// The subscriptions of all groups.
    private(set) var items: [Item] = []

    /// Reads an answer.
    ///
    /// - Parameter json: The text of one JSON object.
    /// - Throws: `JSONFault` when it is no such answer.
    init(json: [UInt8]) throws(JSONFault) {
        var response = StatusResponse()
        var hasData = false
        var reader = JSONReader(json, refusesDuplicates: false)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "bundleId": response.bundleId = try reader.readAppleText()
            case "appAppleId": response.appAppleId = try reader.readAppleInteger()
            case "environment":
                response.environment = try reader.readAppleText().flatMap(AppStoreEnvironment.init(rawValue:))
            case "data":
                hasData = true
                try reader.readArray { (_, reader) throws(JSONFault) in
                    response.items += try Self.group(reading: &reader)
                }
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
        guard hasData else { throw JSONFault(.missingMember, "A status response has data.").inside(member: "data") }
        self = response
    }

    private init() {}

    private static func group(reading reader: inout JSONReader) throws(JSONFault) -> [Item] {
        var items: [Item] = []
        try reader.readObject { (name, reader) throws(JSONFault) in
            guard name == "lastTransactions" else {
                try reader.skipValue()
                return
            }
            try reader.readArray { (_, reader) throws(JSONFault) in
                var item = Item()
                try reader.readObject { (name, reader) throws(JSONFault) in
                    switch name {
                    case "originalTransactionId": item.originalTransactionId = try reader.readAppleIdentifier() ?? ""
                    case "status": item.status = try reader.readAppleInteger() ?? 0
                    case "signedTransactionInfo": item.signedTransaction = try reader.readAppleText()
                    case "signedRenewalInfo": item.signedRenewalInfo = try reader.readAppleText()
                    default: try reader.skipValue()
                    }
                }
                items.append(item)
            }
        }
        return items
    }
}
