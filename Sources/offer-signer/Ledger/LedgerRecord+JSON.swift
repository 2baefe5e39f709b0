import Offers
import Storage
import StrictJSON

extension LedgerRecord {
    /// The record as a line of JSON, with its line feed: all that its hash is computed from.
    ///
    /// Digests and hashes are in hexadecimal, times in milliseconds since 1970.
    var jsonLine: [UInt8] {
        var writer = JSONWriter(capacity: 640)
        writer.object { record in
            record.member("writer", self.writer)
            record.member("number", number)
            record.member("time", time.millisecondsSince1970)
            record.member("client", client)
            record.member("bundleId", bundleId)
            record.member("productId", productId)
            record.member("offerId", offerId)
            record.member("format", format)
            record.member("keyIdentifier", keyIdentifier)
            record.member("nonce", nonce)
            record.member("timestamp", timestamp.millisecondsSince1970)
            record.member("reason", reason)
            if let evidence { record.member("evidence", evidence) }
            if let environment { record.member("environment", environment) }
            if let originalTransactionId { record.member("originalTransactionId", originalTransactionId) }
            if let account { record.member("accountDigest", Hexadecimal.text(account)) }
            record.member("customerDigest", Hexadecimal.text(customer))
            record.member("hash", Hexadecimal.text(hash))
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
