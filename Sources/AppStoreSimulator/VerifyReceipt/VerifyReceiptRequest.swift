import StrictJSON

/// The body of a verifyReceipt call; members that Apple does not know are ignored.
struct VerifyReceiptRequest {
    /// `receipt-data`.
    let receiptData: String
    /// `password`.
    let password: String?
    /// `exclude-old-transactions`.
    let excludesOldTransactions: Bool

    /// Reads a body.
    ///
    /// - Parameter json: The body; `nil` comes of anything that has no `receipt-data`.
    init?(json: [UInt8]) {
        var members: [String: JSONScalar] = [:]
        var reader = JSONReader(json, refusesDuplicates: false)
        do throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch name {
                case "receipt-data", "password", "exclude-old-transactions":
                    members[name] = try reader.readScalar()
                default: try reader.skipValue()
                }
            }
            try reader.readEnd()
        } catch {
            return nil
        }
        guard case .string(let receipt) = members["receipt-data"] else { return nil }
        receiptData = receipt
        if case .string(let text) = members["password"] { password = text } else { password = nil }
        excludesOldTransactions = members["exclude-old-transactions"] == .bool(true)
    }
}
