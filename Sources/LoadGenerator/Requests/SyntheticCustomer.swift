internal import Crypto
package import FoundationEssentials
import StrictJSON

/// A customer who does not exist, with what Apple would say of the subscription.
struct SyntheticCustomer {
    /// The state of the customer's subscription.
    enum State: String, CaseIterable {
        case lapsed, activeAutoRenewOff, active, billingRetry, gracePeriod
    }

    /// The app.
    let bundleId: String
    /// The product that was bought.
    let productId: String
    /// What became of it.
    let state: State
    /// `Production` or `Sandbox`.
    let environment: String
    /// `original_transaction_id`: the customer's own.
    let originalTransactionId: String
    /// When Apple answered.
    let date: Date

    private static let day: TimeInterval = 86_400

    /// When the paid time ends.
    private var expires: Date {
        switch state {
        case .lapsed: date.addingTimeInterval(-40 * Self.day)
        case .billingRetry, .gracePeriod: date.addingTimeInterval(-2 * Self.day)
        case .active, .activeAutoRenewOff: date.addingTimeInterval(20 * Self.day)
        }
    }

    /// When it was paid, the newest first: a month each.
    private var purchases: [Date] { [-30, -60].map { expires.addingTimeInterval($0 * Self.day) } }

    private var willAutoRenew: Bool { state != .lapsed && state != .activeAutoRenewOff }

    /// `expirationIntent`: 1 for who has cancelled, 2 for a payment that failed.
    private var expirationIntent: Int64? {
        switch state {
        case .lapsed: 1
        case .billingRetry, .gracePeriod: 2
        case .active, .activeAutoRenewOff: nil
        }
    }

    // MARK: StoreKit 2

    /// The payload of a signed transaction (`JWSTransactionDecodedPayload`): the first of the subscription.
    var signedTransaction: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.object { json in
            json.member("transactionId", originalTransactionId)
            json.member("originalTransactionId", originalTransactionId)
            json.member("webOrderLineItemId", originalTransactionId)
            json.member("bundleId", bundleId)
            json.member("productId", productId)
            json.milliseconds("purchaseDate", purchases[0])
            json.milliseconds("originalPurchaseDate", purchases[0])
            json.milliseconds("expiresDate", expires)
            json.member("quantity", 1)
            json.member("type", "Auto-Renewable Subscription")
            json.member("inAppOwnershipType", "PURCHASED")
            json.milliseconds("signedDate", date)
            json.member("environment", environment)
            json.member("transactionReason", "PURCHASE")
            json.member("storefront", "USA")
            json.member("storefrontId", "143441")
            json.member("price", 9990)
            json.member("currency", "USD")
            json.member("appTransactionId", originalTransactionId)
        }
        return writer.bytes
    }

    /// The payload of the renewal info beside it (`JWSRenewalInfoDecodedPayload`).
    var signedRenewalInfo: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.object { json in
            if let expirationIntent { json.member("expirationIntent", expirationIntent) }
            json.member("originalTransactionId", originalTransactionId)
            json.member("autoRenewProductId", productId)
            json.member("productId", productId)
            json.member("autoRenewStatus", willAutoRenew ? 1 : 0)
            if state == .billingRetry || state == .gracePeriod {
                json.member("isInBillingRetryPeriod")
                json.bool(true)
            }
            if state == .gracePeriod {
                json.milliseconds("gracePeriodExpiresDate", date.addingTimeInterval(10 * Self.day))
            }
            json.milliseconds("signedDate", date)
            json.member("environment", environment)
            json.milliseconds("recentSubscriptionStartDate", purchases[0])
            if willAutoRenew { json.milliseconds("renewalDate", expires) }
            json.member("appTransactionId", originalTransactionId)
        }
        return writer.bytes
    }

    // MARK: verifyReceipt

    /// A verifyReceipt answer of about 2 KB, as a backend gets one from Apple.
    var receiptResponse: [UInt8] {
        var writer = JSONWriter(capacity: 3072)
        writer.object { answer in
            answer.member("status", 0)
            answer.member("environment", environment)
            answer.member("receipt")
            answer.object { receipt in
                receipt.member("receipt_type", environment == "Production" ? "Production" : "ProductionSandbox")
                receipt.member("adam_id", 1_234_567_890)
                receipt.member("app_item_id", 1_234_567_890)
                receipt.member("bundle_id", bundleId)
                receipt.member("application_version", "1")
                receipt.date("receipt_creation_date", purchases[0])
                receipt.date("request_date", date)
                receipt.date("original_purchase_date", purchases[1])
                receipt.member("original_application_version", "1")
                receipt.member("in_app")
                receipt.array { _ in }
            }
            answer.member("latest_receipt_info")
            answer.array { list in
                for (index, purchase) in purchases.enumerated() {
                    list.object { transaction(into: &$0, purchase, isFirst: index == purchases.count - 1) }
                }
            }
            answer.member("pending_renewal_info")
            answer.array { list in list.object { renewal(into: &$0) } }
        }
        return writer.bytes
    }

    private func transaction(into json: inout JSONWriter, _ purchase: Date, isFirst: Bool) {
        json.member("quantity", "1")
        json.member("product_id", productId)
        json.member("transaction_id", originalTransactionId + (isFirst ? "" : "1"))
        json.member("original_transaction_id", originalTransactionId)
        json.date("purchase_date", purchase)
        json.date("original_purchase_date", purchase)
        json.date("expires_date", purchase.addingTimeInterval(30 * Self.day))
        json.member("web_order_line_item_id", originalTransactionId + (isFirst ? "7" : "8"))
        json.member("is_trial_period", "false")
        json.member("is_in_intro_offer_period", "false")
        json.member("in_app_ownership_type", "PURCHASED")
    }

    private func renewal(into json: inout JSONWriter) {
        json.member("auto_renew_product_id", productId)
        json.member("product_id", productId)
        json.member("original_transaction_id", originalTransactionId)
        json.member("auto_renew_status", willAutoRenew ? "1" : "0")
        if let expirationIntent { json.member("expiration_intent", String(expirationIntent)) }
        if state == .billingRetry || state == .gracePeriod { json.member("is_in_billing_retry_period", "1") }
        if state == .gracePeriod { json.date("grace_period_expires_date", date.addingTimeInterval(10 * Self.day)) }
    }
}

extension JSONWriter {
    /// Writes a date as StoreKit 2 has it.
    fileprivate mutating func milliseconds(_ name: StaticString, _ date: Date) {
        member(name, Int64(date.timeIntervalSince1970 * 1000))
    }

    /// Writes a date in Apple's three forms; the one in Cupertino's time is not looked at, and eight hours behind.
    fileprivate mutating func date(_ name: String, _ date: Date) {
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .dash,
            dateTimeSeparator: .space,
            timeSeparator: .colon,
            timeZone: .gmt
        ).year().month().day().time(includingFractionalSeconds: false)
        member(named: name)
        string(date.formatted(style) + " Etc/GMT")
        member(named: name + "_ms")
        string(String(Int64(date.timeIntervalSince1970 * 1000)))
        member(named: name + "_pst")
        string(date.addingTimeInterval(-8 * 3600).formatted(style) + " America/Los_Angeles")
    }
}

/// Signs what Apple would sign, with the key and the certificates of the stand-in App Store's directory.
package struct StandInSigner: Sendable {
    /// The JWS header with its dot: the same for all that is signed.
    let header: [UInt8]
    private let key: P256.Signing.PrivateKey

    /// Reads the directory that `offer-lab app-store` was started with.
    package init(directory: URL) throws(LoadFault) {
        do {
            let chain = try ["leaf.der", "intermediate.der", "root.der"].map { name in
                "\"" + (try Data(contentsOf: directory.appending(path: name))).base64EncodedString() + "\""
            }
            let pem = String(decoding: try Data(contentsOf: directory.appending(path: "leaf-key.pem")), as: UTF8.self)
            self.init(key: try P256.Signing.PrivateKey(pemRepresentation: pem), chain: chain)
        } catch {
            throw LoadFault(
                "\(directory.path) has not the key and certificates of a stand-in App Store, which offer-lab app-store "
                    + "--directory makes there: \(error)"
            )
        }
    }

    /// Takes a key, and the certificates as JSON strings.
    init(key: P256.Signing.PrivateKey, chain: [String]) {
        self.key = key
        var header: [UInt8] = []
        Base64URL.append(Array(#"{"alg":"ES256","x5c":[\#(chain.joined(separator: ","))]}"#.utf8), to: &header)
        self.header = header + [UInt8(ascii: ".")]
    }

    /// The 64 bytes of a signature over a payload.
    func signature(over payload: [UInt8]) -> [UInt8] {
        var text = header
        text.reserveCapacity(header.count + payload.count * 4 / 3 + 2)
        Base64URL.append(payload, to: &text)
        // Signing with the generator's own key fails only without memory.
        return (try? key.signature(for: text)).map { Array($0.rawRepresentation) } ?? []
    }

    /// Signs many payloads, on all processors.
    func signatures(
        _ count: Int,
        over payload: @escaping @Sendable (Int) -> [UInt8]
    ) async throws(LoadFault) -> [UInt8] {
        let step = 500
        do {
            let blocks = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
                for start in stride(from: 0, to: count, by: step) {
                    group.addTask {
                        try Task.checkCancellation()
                        return (start, (start..<min(start + step, count)).flatMap { signature(over: payload($0)) })
                    }
                }
                var blocks: [Int: [UInt8]] = [:]
                for try await (start, signatures) in group { blocks[start] = signatures }
                return blocks
            }
            return blocks.sorted { $0.key < $1.key }.flatMap(\.value)
        } catch {
            throw LoadFault("nobody waits for the signatures any more")
        }
    }

    func jws(_ payload: [UInt8]) -> String {
        var text: [UInt8] = []
        appendJWS(payload, signature(over: payload)[...], to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    func appendJWS(_ payload: [UInt8], _ signature: ArraySlice<UInt8>, to text: inout [UInt8]) {
        text += header
        Base64URL.append(payload, to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
    }
}

/// Base64url without padding (RFC 4648 §5).
enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Appends the digits of bytes.
    static func append(_ bytes: some RandomAccessCollection<UInt8>, to text: inout [UInt8]) {
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
    }
}
