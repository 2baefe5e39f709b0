import Offers
import Storage
import StrictJSON

extension LedgerRecord {
    /// The record as a line of JSON, with its line feed: all that its hash is computed from.
    ///
    /// Digests and hashes are in hexadecimal, times in milliseconds since 1970.
    var jsonLine: [UInt8] {
        JSONWriter.line(capacity: 640) { $0.members(of: self) }
    }
}

extension JSONWriter {
    /// Writes the values of a record, in the order of the chain's; without its place in the chain, those that concern a customer.
    mutating func members(of record: LedgerRecord, hasPlace: Bool = true) {
        if hasPlace {
            member("writer", record.writer)
            member("number", record.number)
        }
        member("time", record.time.millisecondsSince1970)
        member("client", record.client)
        if hasPlace { member("bundleId", record.bundleId) }
        member("productId", record.productId)
        member("offerId", record.offerId)
        member("format", record.format)
        member("keyIdentifier", record.keyIdentifier)
        member("nonce", record.nonce)
        member("timestamp", record.timestamp.millisecondsSince1970)
        member("reason", record.reason)
        if let evidence = record.evidence { member("evidence", evidence) }
        if let environment = record.environment { member("environment", environment) }
        if let id = record.originalTransactionId { member("originalTransactionId", id) }
        if let account = record.account { member("accountDigest", Hexadecimal.text(account)) }
        member("customerDigest", Hexadecimal.text(record.customer))
        if hasPlace { member("hash", Hexadecimal.text(record.hash)) }
    }
}
