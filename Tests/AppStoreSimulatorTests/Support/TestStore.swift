import Crypto
import Foundation
import HTTPTypes
import Offers
import Testing

@testable import AppStoreSimulator

/// App Stores for the tests: one app, `com.example.app`, whose key `KEY1` the tests hold.
enum TestStore {
    static let now = Timestamp(millisecondsSince1970: 1_768_903_200_000)  // 2026-01-20T10:00:00Z
    static let signer = Result { try CertificateAuthority() }
    static let key = P256.Signing.PrivateKey()
    static let secret = "0123456789abcdef0123456789abcdef"

    /// The state that a list of customers in YAML describes.
    static func world(
        _ customers: String = "[]",
        app: String = "",
        products: String = "{ id: audio, offers: [{ id: listen }] }",
        clock: Timestamp? = nil
    ) throws -> AppStoreWorld {
        let pem = key.publicKey.pemRepresentation.split(separator: "\n").joined(separator: "\\n")
        let yaml = """
            \(clock.map { "clock: \($0.rfc3339)" } ?? "")
            apps:
              - bundleId: com.example.app
                appAppleId: 77
                issuerId: issuer
                keys: [{ id: KEY1, publicKey: "\(pem)" }]
                \(app)
                subscriptionGroups:
                  - id: "100"
                    products:
                      - id: monthly
                        level: 2
                        price: 9.99
                        introductoryOffer: { mode: freeTrial, period: P1W }
                        offers:
                          - { id: half, price: 4.99, periods: 2 }
                          - { id: stale, price: 4.99, priceNoLongerValid: true }
                        retentionOffers: [{ id: keep, price: 5.99, periods: 2 }]
                      - id: yearly
                        level: 1
                        price: 99.9
                        period: P1Y
                        monthlyPrice: 9
                        offers:
                          - { id: year, mode: freeTrial, period: P3M }
                          - { id: months, billingPlanType: MONTHLY, price: 5, periods: 2 }
                      - { id: yearly-basic, level: 3, price: 50, period: P1Y, monthlyPrice: 5 }
                  - id: "200"
                    products: [\(products)]
            customers: \(customers)
            """
        return try ScenarioFile(directory: FileManager.default.temporaryDirectory).world(yaml)
    }

    /// One customer, `c`, with one subscription.
    static func world(state: String, more: String = "", app: String = "") throws -> AppStoreWorld {
        try world("[{ name: c, subscriptions: [{ product: monthly, state: \(state)\(more) }] }]", app: app)
    }

    /// One customer, `c`, with payments of a commitment to `yearly`.
    static func commitment(_ state: String = "active", periods: Int) throws -> AppStoreWorld {
        try world(
            """
            [{ name: c, subscriptions: [{ product: yearly, billingPlanType: MONTHLY, state: \(state), periods: \(periods) }] }]
            """
        )
    }

    static func signing() throws -> AppStoreSigner { try AppStoreSigner(try signer.get()) }

    static func store(_ world: AppStoreWorld) throws -> SimulatedAppStore {
        SimulatedAppStore(world, signer: try signing(), rootPEM: URL(filePath: "/nonexistent"))
    }

    /// A discount as a server would sign it, its seven fields composed here.
    static func discount(
        product: String = "monthly",
        offer: String = "half",
        account: String = "",
        nonce: String = UUID().uuidString.lowercased(),
        timestamp: Int64,
        bundleId: String = "com.example.app",
        keyId: String = "KEY1",
        key: P256.Signing.PrivateKey = key
    ) throws -> [String: Any] {
        let fields = [bundleId, keyId, product, offer, account, nonce, String(timestamp)]
        let signature = try key.signature(for: Data(fields.joined(separator: "\u{2063}").utf8))
        return [
            "identifier": offer, "keyIdentifier": keyId, "nonce": nonce, "timestamp": timestamp,
            "signature": signature.derRepresentation.base64EncodedString(),
        ]
    }

    /// The claims of an App Store request that both kinds have, made just now.
    static func claims(_ more: [String: Any]) -> [String: Any] {
        let own: [String: Any] = [
            "iss": "issuer", "iat": Int64(Date().timeIntervalSince1970), "bid": "com.example.app",
            "nonce": UUID().uuidString.lowercased(), "productId": "monthly",
        ]
        return own.merging(more) { $1 }
    }

    /// A compact JWS of ES256, composed here.
    static func jws(
        _ claims: [String: Any],
        header: [String: Any] = ["alg": "ES256", "kid": "KEY1", "typ": "JWT"],
        key: P256.Signing.PrivateKey = key
    ) throws -> String {
        let parts = try [header, claims].map { base64URL(try JSONSerialization.data(withJSONObject: $0)) }
        let text = parts.joined(separator: ".")
        return text + "." + base64URL(try key.signature(for: Data(text.utf8)).rawRepresentation)
    }

    /// The header field with a right token of the Server API.
    static func serverAPIHeaders() throws -> HTTPFields {
        let now = Int64(Date().timeIntervalSince1970)
        let token = try jws([
            "iss": "issuer", "iat": now, "exp": now + 3000, "aud": "appstoreconnect-v1", "bid": "com.example.app",
        ])
        return [.authorization: "Bearer \(token)"]
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}

extension AppStoreWorld {
    var app: StoreApp { apps[0] }

    func subscription(_ name: String = "c") throws -> StoreSubscription {
        try #require(customer(name)?.subscriptions.first)
    }

    /// Lets some days pass for a subscription, by itself.
    mutating func advance(_ subscription: inout StoreSubscription, days: Int64) -> [StoreEvent] {
        let later = clock.now.adding(seconds: days * Timestamp.day)
        return subscription.advance(to: later, in: app, numbers: &numbers)
    }

    /// Buys by the members of `POST /simulator/purchases`; `c` buys `monthly` unless they say otherwise.
    mutating func buy(_ members: [String: Any] = [:]) throws -> Purchase {
        let body = ["customer": "c", "productId": "monthly"].merging(members) { $1 }
        return try purchase(try PurchaseRequest(json: Array(try JSON.text(body).utf8)))
    }

    /// StoreKit's error for a purchase; 0 for none.
    mutating func verdict(_ members: [String: Any]) throws -> Int64 {
        do {
            _ = try buy(members)
            return 0
        } catch let error as StoreKitError {
            return error.code.rawValue
        }
    }
}
