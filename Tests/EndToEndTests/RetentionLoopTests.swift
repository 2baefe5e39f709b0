import Foundation
import Testing

@Suite("From the cancellation page to the renewal, with the stand-in App Store")
struct RetentionLoopTests {
    private static let message = "00000000-0000-4000-8000-000000000001"

    @Test("An unknown customer is shown a message, then the service's offer, takes it, and renews under it")
    func taken() throws {
        let installation = try Installation()
        let appStore = try RunningAppStore(
            in: try TemporaryDirectory(),
            scenario: """
                apps:
                  - bundleId: \(Installation.bundleId)
                    appAppleId: 1234567890
                    issuerId: \(RunningAppStore.issuerId)
                    keys: [{ id: TESTKEY001, publicKeyFile: \(installation.publicKey) }]
                    retention:
                      messages: [{ id: \(Self.message) }]
                      defaults: [{ product: pro.monthly, locale: en-US, message: \(Self.message) }]
                      performanceTest: { responseTimeThreshold: 30000 }
                    subscriptionGroups:
                      - { id: "20900001", products: [{ id: pro.monthly, offers: [{ id: anyone, periods: 3 }] }] }
                customers: [{ name: active, subscriptions: [{ product: pro.monthly, state: active }] }]
                """
        )
        let address = "http://127.0.0.1:\(appStore.address.port)"
        try installation.directory.write(
            "offer-signer.yaml",
            """
            server: { host: 127.0.0.1, port: 0 }
            admin: { host: 127.0.0.1, port: 0 }
            notifications: { host: 127.0.0.1, port: 0 }
            retention: { timeoutMilliseconds: 5000 }
            catalog: catalog.yaml
            clients: clients.yaml
            appStore:
              serverAPIURL: \(address)
              sandboxServerAPIURL: \(address)/sandbox
              additionalRoots: [\(appStore.root)]
            """
        )
        try installation.directory.write(
            "catalog.yaml",
            """
            apps:
              - bundleId: \(Installation.bundleId)
                appAppleId: 1234567890
                keys: [{ id: TESTKEY001, issuerId: \(RunningAppStore.issuerId), file: SubscriptionKey_TESTKEY001.p8 }]
                subscriptionGroups: [{ id: "20900001", products: [{ id: pro.monthly, offers: [{ id: anyone }] }] }]
                retention:
                  messages: { stay: { default: \(Self.message) } }
                  rules: [{ products: [pro.monthly], offer: anyone, message: stay }, { message: stay }]
            """
        )
        let service = try RunningService(installation)
        let port = try #require(service.notifications?.port)
        let url = "http://127.0.0.1:\(port)/v1/retention-messages"
        let set = try appStore.ask(
            "POST",
            "/simulator/retention-url",
            #"{"bundleId":"\#(Installation.bundleId)","url":"\#(url)"}"#
        )
        #expect(set.status == 200)
        func subscription() throws -> [String: Any] {
            let customer = try appStore.ask("GET", "/simulator/customers/active").json
            return try #require((customer["subscriptions"] as? [[String: Any]])?.first)
        }
        let id = try #require(try subscription()["originalTransactionId"] as? String)
        func look(_ more: String = "") throws -> [String: Any] {
            try appStore.ask("POST", "/simulator/retention", #"{"originalTransactionId":"\#(id)"\#(more)}"#).json
        }
        let first = try look()
        #expect(first["shown"] as? String == "message", "\(first)")
        // The service asks Apple about the customer after the answer.
        var shown = first
        let deadline = Date() + 60
        while shown["shown"] as? String != "promotionalOffer", Date() < deadline {
            usleep(100_000)
            shown = try look()
        }
        #expect(shown["offerIdentifier"] as? String == "anyone", "\(shown)")
        let taken = try look(#","takes":true"#)
        #expect(taken["notificationType"] as? String == "OFFER_REDEEMED", "\(taken)")
        #expect(try appStore.ask("POST", "/simulator/clock", #"{"advanceSeconds":3456000}"#).status == 200)
        let signed = try #require(try subscription()["signedTransaction"] as? String)
        let part = String(signed.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = part + String(repeating: "=", count: (4 - part.count % 4) % 4)
        let payload = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: padded)))
        let transaction = try #require(payload as? [String: Any])
        #expect(transaction["offerIdentifier"] as? String == "anyone")
        #expect(transaction["offerType"] as? Int == 2)
    }
}
