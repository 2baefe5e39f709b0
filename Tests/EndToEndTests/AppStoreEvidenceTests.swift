import FakeServer
import Foundation
import SignedDataFixtures
import Testing

/// A service whose App Store knows the receipt MIIB in the Sandbox, and refuses others by their status.
struct AnsweringAppStore: SharedScene {
    let authority: TestAuthority
    let server: FakeServer
    let service: RunningService

    init() throws {
        authority = try TestAuthority()
        let answer = Customers.lapsed.replacing("\"Production\"", with: "\"Sandbox\"")
        server = try FakeServer { request in
            let body = String(decoding: request.body, as: UTF8.self)
            if body.contains("T1VS") { return .init(200, #"{"status":21004}"#) }
            if body.contains("TUlJ") { return .init(200, #"{"status":21003}"#) }
            return request.path.hasPrefix("/production") ? .init(200, #"{"status":21007}"#) : .init(200, answer)
        }
        service = try RunningService(Installation(asking: server, trusting: authority))
    }
}

@Suite("Evidence from the App Store over sockets", .serialized, .sharing(AnsweringAppStore.self))
struct AppStoreEvidenceTests {
    private let authority: TestAuthority
    private let scene: AnsweringAppStore

    init() throws {
        scene = try .running()
        authority = scene.authority
    }

    private func body(_ evidence: String, offer: String = "comeback50") -> String {
        #"{"evidence":{\#(evidence)},"offers":[{"productId":"pro.monthly","offerId":"\#(offer)"}]}"#
    }

    /// A signed transaction of a subscription that expired an hour ago, or will.
    private func transaction(_ id: String = "2", of original: String = "1", expired: Bool, by signer: TestSigner) throws
        -> String
    {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return try signer.sign(
            #"""
            {"transactionId":"\#(id)","originalTransactionId":"\#(original)","bundleId":"com.example.reader","productId":"pro.monthly",
            "purchaseDate":\#(now - 7_200_000),"expiresDate":\#(now + (expired ? -3_600_000 : 3_600_000)),
            "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","environment":"Sandbox","signedDate":\#(now - 1000)}
            """#
        )
    }

    @Test("Signed transactions decide without anybody being asked; a forgery is 422 and says why")
    func signedTransactions() throws {
        let (service, server) = (scene.service, scene.server)
        let before = server.requests.count
        let signer = try authority.signer()
        for (id, expired, reason) in [("71", true, "lapsed"), ("72", false, "state_not_in_audience")] {
            let signed = try transaction(id, of: id, expired: expired, by: signer)
            let evidence = #""signedTransactions":["\#(signed)"]"#
            let response = try service.sign(body(evidence))
            #expect(response.status == 200)
            #expect(response.json["environment"] as? String == "Sandbox")
            #expect(response.decisions.first?["reason"] as? String == reason)
            #expect((response.decisions.first?["discount"] != nil) == expired)
        }
        let genuine = try transaction("71", of: "71", expired: true, by: signer)
        let forged = try transaction("71", of: "71", expired: true, by: TestAuthority().signer())
        let response = try service.sign(
            body(#""signedTransactions":["\#(genuine)"],"signedRenewalInfos":["\#(forged)"]"#)
        )
        #expect(response.status == 422)
        #expect(response.json["code"] as? String == "jws_untrusted_root")
        #expect(response.json["pointer"] as? String == "/evidence/signedRenewalInfos/0")
        #expect(server.requests.count == before)
        let ready = try Connection(to: service.admin).request("GET", "/readyz")
        #expect(String(decoding: ready.body, as: UTF8.self).contains("appStore.additionalRoots[0]"))
    }

    @Test("A receipt is looked up with the shared secret, in the Sandbox where production says so")
    func receipt() throws {
        let (service, server) = (scene.service, scene.server)
        let before = server.requests.count
        let response = try service.sign(body(#""receipt":"MIIB""#))
        #expect(response.status == 200)
        #expect(response.json["environment"] as? String == "Sandbox")
        #expect(response.decisions.first?["discount"] != nil)
        let requests = server.requests.dropFirst(before)
        #expect(requests.map(\.path) == ["/production/verifyReceipt", "/sandbox/verifyReceipt"])
        #expect(requests.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains("hunter2") })
        // Asked again at once, Apple's answer is still at hand.
        #expect(try service.sign(body(#""receipt":"MIIB""#)).decisions.first?["discount"] != nil)
        #expect(server.requests.count == before + 2)
    }

    @Test("A refused receipt is 422; a wrong secret is 503, an error in the log, and no word of the secret")
    func refusals() throws {
        let service = scene.service
        let refused = try service.sign(body(#""receipt":"TUlJ""#))
        #expect(refused.status == 422)
        #expect(refused.json["code"] as? String == "receipt_status")
        #expect(refused.json["pointer"] as? String == "/evidence/receipt")
        let ours = try service.sign(body(#""receipt":"T1VS""#))
        #expect(ours.status == 503)
        #expect(ours.json["code"] as? String == "app_store_credentials")
        #expect(ours.headers["retry-after"] == "60")
        #expect(service.log.contains("shared secret"))
        #expect(!service.log.contains("hunter2"))
        #expect(!String(decoding: ours.body, as: UTF8.self).contains("hunter2"))
    }

    @Test("When Apple does not answer, the request ends within its time, as 503")
    func silence() throws {
        let server = try FakeServer { _ in .init(delay: 10) }
        let service = try RunningService(Installation(asking: server, trusting: authority))
        let response = try service.sign(body(#""receipt":"MIIB""#))
        #expect(response.status == 503)
        #expect(response.json["code"] as? String == "app_store_unavailable")
        #expect(response.headers["retry-after"] != nil)
        service.stop()
    }

    @Test("However many requests wait for Apple, those that do not are answered")
    func waiting() throws {
        let server = try FakeServer { _ in .init(delay: 60) }
        let service = try RunningService(
            Installation(asking: server, trusting: authority),
            flags: ["--app-store-timeout-seconds", "30"]
        )
        let waiting = try (1000..<1200).map { receipt in
            let connection = try Connection(to: service.server)
            let body = body(#""receipt":"\#(receipt)""#)
            let head =
                "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            try connection.send(head + body)
            return connection
        }
        while server.requests.count < 10 { usleep(10_000) }
        for _ in 0..<20 {
            let response = try service.sign(body(#""receiptResponse":\#(Customers.lapsed)"#))
            #expect(response.status == 200)
            #expect(response.decisions.first?["discount"] != nil)
        }
        #expect(waiting.allSatisfy { !$0.hasInput })
        service.kill()
    }

    @Test("A caller that leaves while Apple is asked gets no signature, and uses none of the customer's")
    func gone() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try FakeServer { _ in
            gate.wait()
            return .init(200, Customers.lapsed)
        }
        let installation = try Installation(asking: server, trusting: authority)
        try installation.limit(offer: "maximumSignaturesPerCustomer: 1")
        let service = try RunningService(installation, flags: ["--app-store-timeout-seconds", "60"])
        let question =
            #"{"appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","#
            + body(#""receipt":"MIIB""#, offer: "anyone").dropFirst()
        let impatient = try Connection(to: service.server)
        let fields = "Host: a\r\nAuthorization: Bearer \(Installation.token)\r\nContent-Type: application/json\r\n"
        try impatient.send(
            "POST /v1/signatures HTTP/1.1\r\n\(fields)Content-Length: \(question.utf8.count)\r\n\r\n\(question)"
        )
        while server.requests.isEmpty { usleep(10_000) }
        // Who closes its side right behind a request may still read.
        usleep(500_000)
        impatient.closeOutput()
        #expect(impatient.isClosed())
        gate.signal()
        let call = "offer_signer_requests_total{route=\"/v1/signatures\",status="
        while try !service.metrics().keys.contains(where: { $0.hasPrefix(call) }) { usleep(10_000) }
        #expect(try service.metrics()[call + "\"none\",client=\"backend\"}"] == 1)
        #expect(try service.metrics().allSatisfy { !$0.key.hasPrefix("offer_signer_signatures") || $0.value == 0 })
        gate.signal()
        #expect(try service.sign(question).decisions.first?["discount"] != nil)
        #expect(try service.sign(question).decisions.first?["reason"] as? String == "signature_limit")
    }

    @Test("When Apple is down, answers come at once after a few failures")
    func outage() throws {
        let server = try FakeServer { _ in .init(503, "down") }
        let service = try RunningService(Installation(asking: server, trusting: authority))
        for receipt in ["AAAA", "AAAB"] { #expect(try service.sign(body(#""receipt":"\#(receipt)""#)).status == 503) }
        let before = server.requests.count
        #expect(before == 5)
        let response = try service.sign(body(#""receipt":"AAAC""#))
        #expect(response.status == 503)
        let seconds = try #require(response.headers["retry-after"].flatMap(Int.init))
        #expect((1...5).contains(seconds))
        #expect(server.requests.count == before)
    }

    @Test(
        "A transaction id is asked about with a token of the app's key, and so is a receipt where the catalog says so"
    )
    func serverAPI() throws {
        let signed = try transaction(expired: true, by: authority.signer())
        let server = try FakeServer { request in
            guard request.path.hasPrefix("/sandbox") else { return .init(404, #"{"errorCode":4040010}"#) }
            return .init(
                200,
                #"""
                {"environment":"Sandbox","bundleId":"com.example.reader","data":[{"lastTransactions":[
                {"status":2,"originalTransactionId":"1","signedTransactionInfo":"\#(signed)"}]}]}
                """#
            )
        }
        let installation = try Installation(asking: server, trusting: authority, app: "    receipts: serverAPI\n")
        let service = try RunningService(installation)
        let info = Data("{ \"transaction-id\" = \"77\"; }".utf8).base64EncodedString()
        let receipt = Data("{ \"purchase-info\" = \"\(info)\"; }".utf8).base64EncodedString()
        for (evidence, id) in [(#""transactionId":"2""#, "2"), (#""receipt":"\#(receipt)""#, "77")] {
            let before = server.requests.count
            let response = try service.sign(body(evidence))
            #expect(response.status == 200)
            #expect(response.decisions.first?["reason"] as? String == "lapsed")
            #expect(response.decisions.first?["discount"] != nil)
            let paths = server.requests.dropFirst(before).map(\.path)
            #expect(paths == ["/production", "/sandbox"].map { $0 + "/inApps/v1/subscriptions/\(id)" })
        }
        let token = try #require(server.requests.first?.headers["authorization"]?.split(separator: " ").last)
        let parts = token.split(separator: ".").map { Data(base64url: String($0)) }
        try #require(parts.count == 3)
        let claims = try #require(try JSONSerialization.jsonObject(with: parts[1]) as? [String: Any])
        #expect(claims["iss"] as? String == "57246542-96fe-1a63-e053-0824d011072a")
        #expect(claims["bid"] as? String == "com.example.reader")
        #expect(parts[2].count == 64)
    }
}

extension Data {
    /// Decodes base64url without padding.
    fileprivate init(base64url text: String) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        self = Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)) ?? Data()
    }
}
