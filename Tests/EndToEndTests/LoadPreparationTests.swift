import ChildProcess
import FakeServer
import Foundation
import Testing

/// The load generator against services that would not sign everything for everybody.
extension LoadTests {
    @Suite("The load generator's requests")
    struct LoadPreparationTests {
        // From a request's text and an offer's name: the refusal says why the offer is refused; `nil` signs it.
        private func server(
            offers: [String],
            _ refusal: @escaping @Sendable (_ request: String, _ offer: String) -> String?
        ) throws -> FakeServer {
            try FakeServer { request in
                let text = String(decoding: request.body, as: UTF8.self)
                let members = (try? JSONSerialization.jsonObject(with: request.body)) as? [String: Any]
                let asked = (members?["offers"] as? [[String: String]])?.compactMap { $0["offerId"] }
                if let asked, asked.count > 100 { return .init(400, #"{"code":"too_many_items","detail":"D."}"#) }
                let decisions = (asked ?? offers).map { offer in
                    let reason = refusal(text, offer)
                    let (verdict, isSigned) = (
                        reason == nil ? "eligible" : "ineligible", request.path == "/v1/signatures"
                    )
                    let discount =
                        #""discount":{"identifier":"\#(offer)","keyIdentifier":"K","nonce":"1","timestamp":1,"signature":"AA"},"#
                    return #"{"productId":"of-\#(offer)","offerId":"\#(offer)","verdict":"\#(verdict)","#
                        + #"\#(isSigned && reason == nil ? discount : "")"reason":"\#(reason ?? "active")"}"#
                }
                return .init(200, #"{"bundleId":"b","account":{},"decisions":[\#(decisions.joined(separator: ","))]}"#)
            }
        }

        /// What was asked to be signed while load was put on a server.
        private func signed(_ server: FakeServer, _ arguments: [String] = []) throws -> [String] {
            let quick = ["--warm-up", "0", "--duration", "0.3", "--connections", "1", "--customers", "3"]
            try KnownServer.load(server, quick + arguments).expect(0)
            let requests = server.requests.filter { $0.path == "/v1/signatures" }
            #expect(!requests.isEmpty)
            return requests.map { String(decoding: $0.body, as: UTF8.self) }
        }

        @Test("An app whose evidence counts from the Sandbox alone is asked with evidence from there")
        func sandbox() throws {
            let server = try server(offers: ["o"]) { request, _ in
                request.contains(#""environment":"Sandbox""#) ? nil : "environment_not_allowed"
            }
            #expect(try signed(server).allSatisfy { $0.contains(#""environment":"Sandbox""#) })
        }

        @Test("Only offers that customers may have are asked for, of a catalog of any size")
        func eligibleAlone() throws {
            let offers = (1...250).map { "o\($0)" }
            let server = try server(offers: offers) { _, offer in offer == "o240" ? nil : "offer_ended" }
            #expect(try signed(server).allSatisfy { $0.contains(#""offerId":"o240""#) })
        }

        @Test("The product that is named is the one that is asked for")
        func product() throws {
            let server = try server(offers: ["a", "b", "c"]) { _, _ in nil }
            #expect(try signed(server, ["--product-id", "of-b"]).allSatisfy { $0.contains(#""offerId":"b""#) })
        }

        @Test("Of held state, signed transactions are shown once for each customer, and left out from then on")
        func held() throws {
            let server = try server(offers: ["o"]) { _, _ in nil }
            let directory = try TemporaryDirectory()
            let appStore = try RunningAppStore(in: directory, scenario: "apps: []")
            let requests = try signed(server, ["--mix", "held", "--simulator-directory", directory.url.path])
            #expect(requests.count { $0.contains("signedTransactions") } == 3)
            #expect(requests.count > 3)
            appStore.signal(SIGTERM)
        }

        @Test("State that is held without that is taken as it is, and a service that holds none is recognised")
        func heldAlready() throws {
            let holding = try server(offers: ["o"]) { _, _ in nil }
            #expect(try signed(holding, ["--mix", "held"]).allSatisfy { !$0.contains("evidence") })
            let empty = try server(offers: ["o"]) { _, _ in "no_evidence" }
            let outcome = try KnownServer.load(empty, ["--mix", "held"])
            outcome.expect(1, "--simulator-directory")
        }

        @Test("Of shared evidence, the refusal is waited for, and signatures before it are no fault")
        func shared() throws {
            let signed = Counter()
            let server = try server(offers: ["o"]) { _, _ in signed.next() > 6 ? "evidence_shared" : nil }
            let quick = [
                "--warm-up", "0", "--duration", "0.5", "--connections", "1", "--customers", "shared", "--json",
            ]
            let outcome = try KnownServer.load(server, quick)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let report = try KnownServer.json(outcome)
            #expect((report["requests"] as? Int ?? 0) > (report["signatures"] as? Int ?? 0))
            #expect(report["errors"] as? [String: Int] == [:])
            let bodies = server.requests.filter { $0.path == "/v1/signatures" }.map {
                String(decoding: $0.body, as: UTF8.self)
            }
            let accounts = bodies.compactMap { $0.firstMatch(of: /"appAccountToken":"([^"]+)"/)?.1 }
            #expect(Set(accounts).count == bodies.count)
            let transactions = bodies.compactMap { $0.firstMatch(of: /"original_transaction_id":"([^"]+)"/)?.1 }
            #expect(Set(transactions).count == 1)
        }
    }
}
