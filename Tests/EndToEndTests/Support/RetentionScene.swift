import Crypto
import FakeServer
import Foundation
import SignedDataFixtures

/// An installation with rules for customers who are about to cancel, and the App Store that calls it.
struct RetentionScene {
    static let stay = "11111111-2222-4333-8444-555555555555"
    static let german = "21111111-2222-4333-8444-555555555555"
    static let plain = "41111111-2222-4333-8444-555555555555"
    static let account = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

    let installation: Installation
    let signer: TestSigner

    /// Writes the configuration.
    init(
        asking server: FakeServer,
        trusting authority: TestAuthority? = nil,
        offer: String = "audience: [active, activeAutoRenewOff]",
        rules: String = "[{ products: [pro.monthly], offer: stay30, message: stay }, { message: plain }]"
    ) throws {
        let authority = try authority ?? TestAuthority()
        signer = try authority.signer()
        installation = try Installation(asking: server, trusting: authority)
        let directory = installation.directory
        try installation.configure("notifications: { host: 127.0.0.1, port: 0, historySeconds: 0 }")
        try directory.write(
            "catalog.yaml",
            """
            apps:
              - bundleId: \(Installation.bundleId)
                appAppleId: 1234567890
                environments: [Production, Sandbox]
                issuerId: \(RunningAppStore.issuerId)
                appStoreCacheSeconds: 0
                keys: [{ id: TESTKEY001, file: SubscriptionKey_TESTKEY001.p8 }]
                subscriptionGroups:
                  - id: "20900001"
                    products:
                      - { id: pro.monthly, offers: [{ id: stay30, \(offer) }] }
                      - { id: pro.yearly, offers: [{ id: yearly20 }] }
                retention:
                  messages:
                    stay: { default: \(Self.stay), de: \(Self.german) }
                    plain: { default: \(Self.plain) }
                  rules: \(rules)
            """
        )
    }

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// The days as milliseconds.
    static func days(_ count: Double) -> Int64 { Int64(count * 86_400_000) }

    /// A call of Apple's, as it is signed.
    func call(
        _ transactionId: String,
        product: String = "pro.monthly",
        locale: String = "en-US",
        identifier: String = UUID().uuidString.lowercased(),
        app: Int64 = 1_234_567_890,
        environment: String = "Production",
        secondsAgo: Int64 = 0,
        by other: TestSigner? = nil
    ) throws -> String {
        try (other ?? signer).sign(
            #"""
            {"originalTransactionId":"\#(transactionId)","appAppleId":\#(app),"productId":"\#(product)",
            "userLocale":"\#(locale)","requestIdentifier":"\#(identifier)","environment":"\#(environment)",
            "signedDate":\#(Self.now - secondsAgo * 1000)}
            """#
        )
    }

    /// A transaction of a subscription.
    func transaction(_ id: String, signed daysAgo: Double = 0, account: String? = nil) throws -> String {
        let token = account.map { #","appAccountToken":"\#($0)""# } ?? ""
        return try signer.sign(
            #"""
            {"transactionId":"\#(id)","originalTransactionId":"\#(id)","bundleId":"\#(Installation.bundleId)",
            "productId":"pro.monthly","subscriptionGroupIdentifier":"20900001",
            "purchaseDate":\#(Self.now - Self.days(30)),"expiresDate":\#(Self.now + Self.days(10)),
            "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","environment":"Production"\#(token),
            "signedDate":\#(Self.now - Self.days(daysAgo))}
            """#
        )
    }

    /// The renewal info of a subscription.
    func renewal(_ id: String, signed daysAgo: Double = 0) throws -> String {
        try signer.sign(
            #"""
            {"originalTransactionId":"\#(id)","autoRenewProductId":"pro.monthly","productId":"pro.monthly",
            "autoRenewStatus":1,"environment":"Production","signedDate":\#(Self.now - Self.days(daysAgo))}
            """#
        )
    }

    /// A notification about a subscription.
    func notification(transaction: String, renewal: String, signed daysAgo: Double = 0) throws -> String {
        try signer.sign(
            #"""
            {"notificationType":"DID_RENEW","notificationUUID":"\#(UUID().uuidString)",
            "data":{"bundleId":"\#(Installation.bundleId)","appAppleId":1234567890,"environment":"Production",
            "signedTransactionInfo":"\#(transaction)","signedRenewalInfo":"\#(renewal)"},
            "signedDate":\#(Self.now - Self.days(daysAgo))}
            """#
        )
    }

    /// The claims of a JWS that the installation's key signed.
    func claims(of jws: String) throws -> [String: Any] {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false).map { part -> Data in
            var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            return Data(base64Encoded: text) ?? Data()
        }
        guard parts.count == 3, let end = jws.lastIndex(of: ".") else { throw Failure(text: "no JWS: \(jws)") }
        let pem = try String(contentsOf: URL(filePath: installation.publicKey), encoding: .utf8)
        let key = try P256.Signing.PublicKey(pemRepresentation: pem)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: parts[2])
        guard key.isValidSignature(signature, for: Data(jws[..<end].utf8)) else { throw Failure(text: "forged") }
        let header = try JSONSerialization.jsonObject(with: parts[0]) as? [String: String]
        guard header == ["alg": "ES256", "kid": "TESTKEY001", "typ": "JWT"] else {
            throw Failure(text: "header: \(String(describing: header))")
        }
        return try JSONSerialization.jsonObject(with: parts[1]) as? [String: Any] ?? [:]
    }

    /// Tells the service of a subscription, as Apple's notifications do.
    func notify(_ service: RunningService, of id: String, signed daysAgo: Double = 0, account: String? = nil) throws {
        let notification = try notification(
            transaction: transaction(id, signed: daysAgo, account: account),
            renewal: renewal(id, signed: daysAgo),
            signed: daysAgo
        )
        let response = try service.notify("/v1/notifications", notification)
        guard response.status == 200 else { throw Failure(text: "\(response.json)") }
    }
}

extension RunningService {
    /// Sends what Apple signed to the listener that Apple calls.
    func notify(_ path: String, _ signedPayload: String) throws -> Response {
        guard let notifications else { throw Failure(text: "no such listener") }
        return try Connection(to: notifications).request(
            "POST",
            path,
            headers: ["Content-Type: application/json"],
            body: #"{"signedPayload":"\#(signedPayload)"}"#
        )
    }

    /// Asks what a customer is shown who is about to cancel.
    func retention(_ call: String) throws -> Response { try notify("/v1/retention-messages", call) }
}

extension Response {
    /// The identifier of the message that is shown, whatever is beside it.
    var messageIdentifier: String? {
        let kinds = ["message", "alternateProduct", "promotionalOffer"]
        let shown = kinds.compactMap { json[$0] as? [String: Any] }
        return shown.count == 1 ? shown.first?["messageIdentifier"] as? String : nil
    }

    /// The offer's signature.
    var offerJWS: String? { (json["promotionalOffer"] as? [String: Any])?["promotionalOfferSignatureV2"] as? String }
}
