import Crypto
import Foundation
import LedgerFixtures
import OfferService
import Testing

@testable import Offers

/// A signer with a key that the tests verify by.
struct KeySigner: ES256Signer {
    let key = P256.Signing.PrivateKey()
    let keyIdentifier = "EXAMPLE123"

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        do {
            let bytes = message.indices.map { message[$0] }
            return Array(try key.signature(for: Data(bytes)).derRepresentation)
        } catch {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: "\(error)")
        }
    }

    /// The claims of a compact JWS, when this key signed it.
    func claims(_ compact: String) throws -> [String: any Sendable] {
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false).map { part in
            var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            return Data(base64Encoded: text) ?? Data()
        }
        try #require(parts.count == 3)
        let signed = compact.prefix(upTo: try #require(compact.lastIndex(of: ".")))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: parts[2])
        try #require(key.publicKey.isValidSignature(signature, for: Data(signed.utf8)))
        return try #require(try JSONSerialization.jsonObject(with: parts[1]) as? [String: any Sendable])
    }
}

/// A verifyReceipt answer of the app `com.example.reader`, for what its customer bought.
struct ReceiptResponse {
    /// A transaction: of product `monthly` and still running, unless said otherwise.
    struct Purchase {
        var id: String
        var product = "monthly"
        var daysAgo: Int64 = 10
        var days: Int64 = 30
        var isTrial = false
    }

    var purchases: [Purchase] = []
    /// The products with an entry of `pending_renewal_info`.
    var renewals: [String] = []
    var now: Timestamp

    var evidence: Evidence {
        let clock = now.millisecondsSince1970
        let rows = purchases.map { purchase in
            let bought = clock - purchase.daysAgo * 86_400_000
            return
                #"{"original_transaction_id":"1","transaction_id":"\#(purchase.id)","product_id":"\#(purchase.product)","#
                + #""purchase_date_ms":\#(bought),"expires_date_ms":\#(bought + purchase.days * 86_400_000),"#
                + #""is_trial_period":"\#(purchase.isTrial)"}"#
        }
        let entries = renewals.map {
            #"{"original_transaction_id":"1","product_id":"\#($0)","auto_renew_status":"0","expiration_intent":"1"}"#
        }
        let text =
            #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.reader","#
            + #""request_date_ms":\#(clock)},"latest_receipt_info":[\#(rows.joined(separator: ","))],"#
            + #""pending_renewal_info":[\#(entries.joined(separator: ","))]}"#
        return .receiptResponse(json: Array(text.utf8))
    }
}

extension Book {
    /// A customer who subscribes to product `monthly`, and has paid for days to come.
    static func active(bundleId: String = "reader", at now: Timestamp, told secondsAgo: Int64) -> Book {
        let paid = Transaction("1", from: now.adding(seconds: -900_000), until: now.adding(seconds: 900_000))
        let renewal = RenewalInfo(originalTransactionId: "1", productId: "monthly", autoRenewStatus: true)
        return Book(of: bundleId, asOf: now.adding(seconds: -secondsAgo), [renewal], [paid])
    }
}

extension CustomerRequest {
    static func of(
        _ kind: Kind,
        _ evidence: Evidence?,
        account: Account = .none,
        bundleId: String = "com.example.reader",
        explain: Bool = false
    ) -> CustomerRequest {
        CustomerRequest(
            client: "backend",
            bundleId: bundleId,
            account: account,
            evidence: evidence,
            kind,
            explain: explain
        )
    }
}

extension Evidence {
    /// A verifyReceipt answer about a customer of `com.example.reader` with subscription 77 to `monthly`, which renews.
    static func active(at now: Timestamp, dated date: Timestamp? = nil, of token: String? = nil) -> Evidence {
        let account = token.map { #""app_account_token":"\#($0)","# } ?? ""
        return .receiptResponse(
            json: Array(
                """
                {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.reader",
                "request_date_ms":\((date ?? now).millisecondsSince1970)},
                "latest_receipt_info":[{"original_transaction_id":"77","product_id":"monthly",
                \(account)"purchase_date_ms":1,"expires_date_ms":\(now.adding(seconds: 1000).millisecondsSince1970)}],
                "pending_renewal_info":[{"original_transaction_id":"77","product_id":"monthly","auto_renew_status":"1"}]}
                """.utf8
            )
        )
    }
}

extension App {
    /// An app with one product and one offer.
    static let reader = App(
        bundleId: "reader",
        subscriptionGroups: [
            SubscriptionGroup(id: "1", products: [Product(id: "monthly", offers: [PromotionalOffer(id: "o")])])
        ]
    )
}

/// The App Store: with a customer's history, or out of reach.
struct ScriptedAppStore: EvidenceFetcher {
    let answer: Result<Book, EvidenceFault>

    func history(
        answering question: AppStoreQuestion,
        for bundleId: String,
        by client: String?,
        needsWholeHistory: Bool
    ) async throws(EvidenceFault) -> Book { try answer.get() }
}

/// Finds all evidence unreadable.
struct NoReader: EvidenceReader {
    func book(from evidence: Evidence) throws(EvidenceFault) -> Book {
        throw EvidenceFault(.malformed, code: "read", detail: "It was read.")
    }
}

extension P256.Signing.PrivateKey {
    func verifier(_ keyIdentifier: String) throws -> P256Verifier {
        try #require(
            P256Verifier(keyIdentifier: keyIdentifier, subjectPublicKeyInfo: Array(publicKey.derRepresentation))
        )
    }
}

/// Makes digests of accounts by HMAC with SHA-256 (RFC 2104).
struct HMACAccountDigester: AccountDigester {
    private let key: SymmetricKey

    init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    func digest(of text: String, bundleId: String) -> AccountDigest {
        // No bundle identifier has a NUL.
        let message = Array(bundleId.utf8) + [0] + Array(text.utf8)
        return AccountDigest(Array(HMAC<SHA256>.authenticationCode(for: message, using: key)))
    }
}
