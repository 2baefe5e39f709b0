import Crypto
package import Offers
package import StrictJSON

/// A place in an app's feed of redemptions: opaque to clients, and good for this app alone.
struct RedemptionCursor {
    let position: Int64

    init(position: Int64) { self.position = position }

    /// Reads the parameter; `nil` for another app's, and for any other text.
    init?(_ text: String, of bundleId: String) {
        guard let position = text.split(separator: "-").last.flatMap({ Int64($0) }) else { return nil }
        self.position = position
        guard self.text(of: bundleId) == text else { return nil }
    }

    func text(of bundleId: String) -> String {
        let digest = SHA256.hash(data: Array("offer-signer redemptions\n\(bundleId)".utf8))
        return "\(Hexadecimal.text(Array(digest.prefix(8))))-\(position)"
    }
}

extension FeedEntry {
    /// The redemption as the feed and `ledger export --redemptions` have it.
    package func write(to writer: inout JSONWriter) {
        writer.object { members in
            members.member("offerId", redemption.offerId)
            members.member("productId", redemption.productId)
            members.member("environment", environment.rawValue)
            members.member("originalTransactionId", redemption.originalTransactionId)
            if let transactionId = redemption.transactionId { members.member("transactionId", transactionId) }
            if let date = redemption.redeemedAt { members.member("redeemedAt", date.rfc3339) }
            members.member("begins", redemption.begins.rawValue)
            if let price = redemption.price {
                members.member("price", price.amount)
                members.member("currency", price.currency)
            }
            if let storefront = redemption.storefront { members.member("storefront", storefront) }
            if let nonce { members.member("nonce", nonce) }
            members.member("from", redemption.source.rawValue)
        }
    }
}
