import Offers
import StrictJSON

/// The answer of Get All Subscription Statuses (`StatusResponse`).
struct StatusResponse {
    /// One subscription of the customer (`lastTransactionsItem`).
    struct Item {
        /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
        var status: Int64 = 0
        var signedTransaction: String?
        var signedRenewalInfo: String?
    }

    private(set) var bundleId: String?
    /// The app's Apple ID; production alone has it.
    private(set) var appAppleId: Int64?
    /// The environment that answered; `nil` for none of Apple's.
    private(set) var environment: AppStoreEnvironment?
    private(set) var items: [Item] = []

    init(json: [UInt8]) throws(JSONFault) {
        var hasData = false
        try JSONReader.membersOfApple(json) { (name, reader) throws(JSONFault) in
            switch name {
            case "bundleId": bundleId = try reader.readAppleText()
            case "appAppleId": appAppleId = try reader.readAppleInteger()
            case "environment":
                environment = try reader.readAppleText().flatMap(AppStoreEnvironment.init(rawValue:))
            case "data":
                hasData = true
                try reader.readArray { (_, reader) throws(JSONFault) in
                    items += try Self.group(reading: &reader)
                }
            default: try reader.skipValue()
            }
        }
        guard hasData else { throw JSONFault(.missingMember, "A status response has data.").inside(member: "data") }
    }

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

/// A page of Get Transaction History (`HistoryResponse`).
struct HistoryResponse {
    /// The token of the next page.
    private(set) var revision: String?
    private(set) var hasMore = false
    private(set) var transactions: [String] = []

    init(json: [UInt8]) throws(JSONFault) {
        var hasMore: Bool?
        try JSONReader.membersOfApple(json) { (name, reader) throws(JSONFault) in
            switch name {
            case "revision": revision = try reader.readAppleText()
            case "hasMore": hasMore = try reader.readBool()
            case "signedTransactions":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    transactions.append(try reader.readString())
                }
            default: try reader.skipValue()
            }
        }
        guard let hasMore else {
            throw JSONFault(.missingMember, "A history says whether there is more.").inside(member: "hasMore")
        }
        self.hasMore = hasMore
    }
}

/// The body of an answer that is no success (`errorCode`, `errorMessage`).
struct ServerAPIError {
    /// The meaning of an error for a question about a transaction.
    enum Meaning {
        /// The transaction is not of this environment.
        case notHere
        /// There is no such transaction, or no such customer any more.
        case unknown
        /// The transaction is a family member's, about which the call gives no answer.
        case familyShared
        case unknownApp
        case temporary
        /// It says nothing of the transaction, the app or the key.
        case unexpected
    }

    let code: Int64
    /// Apple's words, in visible ASCII and at most 200 characters; `nil` for none.
    let message: String?

    /// An unreleased app gets a 401 that is no JSON, which gives `nil`.
    init?(json: [UInt8]) {
        var (code, message): (Int64?, String?)
        var reader = JSONReader(json, refusesDuplicates: false)
        do throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch name {
                case "errorCode": code = try reader.readAppleInteger()
                case "errorMessage": message = try reader.readAppleText()
                default: try reader.skipValue()
                }
            }
        } catch {
            return nil
        }
        guard let code else { return nil }
        self.code = code
        self.message = message.map { text in
            String(text.prefix(200).map { $0.isASCII && (" "..."~").contains($0) ? $0 : "?" })
        }
    }

    /// The code's meaning (App Store Server API, "Error codes").
    var meaning: Meaning {
        switch code {
        case 4_040_010, 4_040_019: .notHere
        case 4_000_006, 4_040_001, 4_040_005: .unknown
        case 4_040_002, 4_040_004, 4_040_006, 5_000_000...5_999_999: .temporary
        case 4_000_185: .familyShared
        case 4_040_003: .unknownApp
        default: .unexpected
        }
    }
}

extension EvidenceFault {
    /// The App Store knows no such transaction, in either environment.
    static var transactionNotFound: EvidenceFault {
        EvidenceFault(
            .rejected,
            code: "transaction_not_found",
            detail: "The App Store knows no such transaction of this app."
        )
    }

    /// The App Store takes an identifier for none of a transaction, which time does not change.
    static var transactionUnknown: EvidenceFault {
        EvidenceFault(
            .rejected,
            code: "transaction_not_found",
            detail: "The App Store takes this for no transaction's identifier."
        )
    }

    /// The App Store knows no such transaction, which was bought just now.
    static var transactionNotThereYet: EvidenceFault {
        appStoreUnavailable(
            "The App Store does not know the transaction yet: that may take minutes after a purchase. Ask again.",
            retryAfterSeconds: 30
        )
    }

    static var transactionFamilyShared: EvidenceFault {
        EvidenceFault(
            .rejected,
            code: "transaction_family_shared",
            detail:
                "The transaction is shared within a family, and the App Store says nothing of it: send one that the "
                + "customer bought."
        )
    }

    /// The App Store knows no app of this bundle identifier.
    static var appNotFound: EvidenceFault {
        EvidenceFault(
            .rejected,
            code: "app_not_found",
            detail: "The App Store knows no app of this bundle identifier. Its operator has to compare the catalog's "
                + "bundleId with App Store Connect."
        )
    }
}
