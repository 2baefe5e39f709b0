import Crypto
import Foundation
import HTTPTypes
import Testing

@testable import AppStoreSimulator

@Suite("A customer who is about to cancel")
struct RetentionCallTests {
    private static let (plain, picture, unread) = (
        "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002",
        "00000000-0000-4000-8000-000000000003"
    )

    private static let app = """
        retention:
                  messages: [{ id: \(plain) }, { id: \(picture), image: true }]
                  defaults: [{ product: monthly, locale: en-US, message: \(picture) }]
                  performanceTest: { responseTimeThreshold: 30000 }
        """

    private let store: SimulatedAppStore
    private let id: String

    init() throws {
        var world = try TestStore.world(state: "active", app: Self.app)
        let pending = StoreMessage(id: Self.unread)
        world.apps[0].retention.production.messages.append(pending)
        store = try TestStore.store(world)
        id = try world.subscription().originalTransactionId
    }

    private func jws(_ changes: [String: Any] = [:], key: P256.Signing.PrivateKey = TestStore.key) throws -> String {
        let claims = TestStore.claims(["aud": "promotional-offer", "offerIdentifier": "half", "transactionId": id])
        return try TestStore.jws(claims.merging(changes) { $1 }, key: key)
    }

    private func offer(_ jws: String, message: String = plain) -> String {
        #"{"promotionalOffer":{"messageIdentifier":"\#(message)","promotionalOfferSignatureV2":"\#(jws)"}}"#
    }

    /// What a customer is shown by an answer.
    private func shown(
        _ body: String,
        status: Int = 200,
        asking: [String: any Sendable] = [:]
    ) async throws -> [String: Any] {
        let endpoint = Endpoint()
        endpoint.answers(body, status: status)
        let question = ["originalTransactionId": id].merging(asking) { $1 }
        let answer = try await endpoint.listening { url in
            try await store.live { client in
                let address = ["bundleId": "com.example.app", "url": url]
                #expect(try await client.post("/simulator/retention-url", address).status == .ok)
                return try await client.post("/simulator/retention", question)
            }
        }
        #expect(answer.status == .ok, "\(answer.json)")
        return answer.json
    }

    @Test("Another product is shown, and the customer who takes it moves there")
    func switched() async throws {
        let answer = #"{"alternateProduct":{"messageIdentifier":"\#(Self.plain)","productId":"yearly-basic"}}"#
        let shown = try await shown(answer, asking: ["takes": true])
        #expect(shown["shown"] as? String == "alternateProduct")
        #expect(shown["notificationType"] as? String == "DID_CHANGE_RENEWAL_PREF")
        #expect(try store.current().subscription().autoRenewProductId == "yearly-basic")
    }

    @Test(
        "An answer that Apple would not take is not shown, and the reason is said",
        arguments: [
            ("{}", "Exactly one"), ("no", "value"), (#"{"colour":1}"#, "colour"),
            (#"{"message":{"messageIdentifier":"stay"}}"#, "UUID"),
            (#"{"message":{"messageIdentifier":"00000000-0000-4000-8000-000000000009"}}"#, "No message"),
            (#"{"message":{"messageIdentifier":"\#(unread)"}}"#, "PENDING"),
            (
                #"{"message":{"messageIdentifier":"\#(plain)"},"alternateProduct":{"messageIdentifier":"\#(plain)"}}"#,
                "Exactly one"
            ),
            (#"{"alternateProduct":{"messageIdentifier":"\#(picture)","productId":"yearly"}}"#, "image"),
            (#"{"alternateProduct":{"messageIdentifier":"\#(plain)","productId":"audio"}}"#, "group"),
            (#"{"alternateProduct":{"messageIdentifier":"\#(plain)","productId":"monthly"}}"#, "product that"),
            (#"{"alternateProduct":{"messageIdentifier":"\#(plain)","productId":"other"}}"#, "no product"),
            (#"{"promotionalOffer":{"messageIdentifier":"\#(plain)"}}"#, "promotionalOfferSignatureV2"),
            (#"{"promotionalOffer":{"messageIdentifier":"\#(plain)","promotionalOfferSignatureV2":"a.b"}}"#, "JWS"),
            (#"{"advancedCommerceInfo":{}}"#, "Advanced Commerce"),
        ]
    )
    func refused(body: String, words: String) async throws {
        let shown = try await shown(body)
        #expect(shown["shown"] as? String == "default")
        #expect(shown["messageIdentifier"] as? String == Self.picture)
        #expect((shown["reason"] as? String)?.contains(words) == true, "\(shown)")
    }

    @Test("A signature that StoreKit would refuse, or that is for another customer or group, is not taken")
    func wrongSignatures() async throws {
        let wrong: [(String, String)] = [
            (try jws(key: P256.Signing.PrivateKey()), "has not signed"),
            (try jws(["transactionId": "1"]), "transactionId"),
            (try jws(["productId": "audio", "offerIdentifier": "listen"]), "group"),
            (try jws(["offerIdentifier": "none"]), "no offer"),
        ]
        for (jws, words) in wrong {
            let shown = try await shown(offer(jws))
            #expect(shown["shown"] as? String == "default")
            #expect((shown["reason"] as? String)?.contains(words) == true, "\(words): \(shown)")
        }
        let image = try await shown(offer(try jws(), message: Self.picture))
        #expect((image["reason"] as? String)?.contains("image") == true)
    }

    @Test("Where the endpoint fails, the default message is shown; without one, the endpoint is not asked")
    func fallsBack() async throws {
        let failed = try await shown("{}", status: 503)
        #expect(failed["shown"] as? String == "default")
        #expect(failed["status"] as? Int == 503)
        let french = try await shown("{}", asking: ["userLocale": "fr-FR"])
        #expect(french["shown"] as? String == "nothing")
        #expect(french["signedPayload"] == nil)
    }

    @Test("An answer that comes too late is none")
    func late() async throws {
        store.change { $0.apps[0].retention.settings.responseTimeThreshold = 100 }
        let endpoint = Endpoint()
        endpoint.answers(#"{"message":{"messageIdentifier":"\#(Self.plain)"}}"#, after: .seconds(3))
        try await endpoint.listening { url in
            try await store.live { client in
                _ = try await client.post("/simulator/retention-url", ["bundleId": "com.example.app", "url": url])
                let answer = try await client.post("/simulator/retention", ["originalTransactionId": id])
                #expect(answer.json["shown"] as? String == "default")
                #expect((answer.json["reason"] as? String)?.contains("within 100 ms") == true)
            }
        }
        #expect(endpoint.signedPayloads.count == 1)
    }

    @Test("A call about an unknown customer, or with nothing to cancel or to take, is refused by its member")
    func refusedCalls() async throws {
        try await store.live { client in
            for (body, pointer) in [
                (["originalTransactionId": "1"], "/originalTransactionId"), ([:], "/originalTransactionId"),
                (["originalTransactionId": id, "requestIdentifier": "1"], "/requestIdentifier"),
                (["originalTransactionId": id, "takes": true], "/takes"), (["colour": 1], "/colour"),
            ] as [([String: any Sendable], String)] {
                let answer = try await client.post("/simulator/retention", body)
                #expect(answer.status == .badRequest)
                #expect(answer.json["pointer"] as? String == pointer)
            }
        }
    }
}
