import StrictJSON

/// A page of Get Transaction History (`HistoryResponse`).
struct HistoryResponse {
    /// Where the next page begins.
    private(set) var revision: String?
    /// Whether there is a next page.
    private(set) var hasMore = false
    /// The transactions, each a JWS.
    private(set) var signedTransactions: [String] = []

    /// Reads an answer.
    ///
    /// - Parameter json: The text of one JSON object.
    /// - Throws: `JSONFault` when it is no such answer.
    init(json: [UInt8]) throws(JSONFault) {
        var response = HistoryResponse()
        var hasMore: Bool?
        var reader = JSONReader(json, refusesDuplicates: false)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "revision": response.revision = try reader.readAppleText()
            case "hasMore": hasMore = try reader.readBool()
            case "signedTransactions":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    response.signedTransactions.append(try reader.readString())
                }
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
        guard let hasMore else {
            throw JSONFault(.missingMember, "A history says whether there is more.").inside(member: "hasMore")
        }
        response.hasMore = hasMore
        self = response
    }

    private init() {}
}
