import ChildProcess
import Foundation
import Testing

extension SharedServiceTests {
    @Suite("Diagnoses over a socket")
    struct DiagnosesTests {
        private let service: RunningService

        init() throws { service = try PlainScene.running().service }

        private func diagnose(_ report: [String: Any?]) throws -> Response {
            let json = try JSONSerialization.data(withJSONObject: report.compactMapValues { $0 })
            return try service.ask("/v1/diagnoses", String(decoding: json, as: UTF8.self))
        }

        @Test("The service's own signature is valid, and a field that was changed on the way is named")
        func diagnoses() throws {
            let report = try service.signedReport()
            let right = try diagnose(report)
            #expect(right.status == 200)
            #expect(right.json["valid"] as? Bool == true)
            #expect(right.causes.isEmpty)
            #expect(try diagnose(report.merging(["offerId": "comeback50"]) { $1 }).causes == ["offer_mismatch"])
            let seconds = try #require(report["timestamp"] as? Int) / 1000
            let late = try diagnose(report.merging(["timestamp": seconds]) { $1 })
            #expect(late.causes.contains("timestamp_in_seconds"))
        }

        @Test("A recorded signature is compared field by field, for any number of differences and any signature")
        func recorded() throws {
            var report = try service.signedReport()
            let timestamp = try #require(report["timestamp"] as? Int)
            report["timestamp"] = timestamp + 1
            let moved = try diagnose(report)
            #expect(moved.json["valid"] as? Bool == false)
            #expect(moved.causes == ["unexplained"])
            #expect(moved.details.first?.contains("timestamp \(timestamp) ") == true)

            report["timestamp"] = timestamp / 1000
            report["productId"] = "pro.yearly"
            report["offerId"] = "comeback50"
            report["keyIdentifier"] = "OTHERKEY01"
            report["applicationUsername"] = "bob"
            report["nonce"] = (report["nonce"] as? String)?.uppercased()
            report["signature"] = "bm8gc2lnbmF0dXJl"
            let many = try diagnose(report)
            let expected = [
                "timestamp_in_seconds", "account_unexpected", "key_id_mismatch", "product_mismatch", "offer_mismatch",
            ]
            #expect(Set(many.causes).isSuperset(of: expected))
            for signed in ["\(timestamp)", "TESTKEY001", "pro.monthly", "anyone"] {
                #expect(many.details.contains { $0.contains("signed the") && $0.contains(" \(signed) ") }, "\(signed)")
            }
            #expect(!many.details.joined().contains("alice"), "nobody learns whom it was signed for")

            let other = try service.signedReport()
            for (account, cause) in [
                ("Alice", "account_case"), ("ALICE", "account_case"), (nil, "account_unexpected"),
            ] as [(String?, String)] {
                #expect(try diagnose(other.merging(["applicationUsername": account]) { $1 }).causes == [cause])
            }
        }

        @Test("A report that lacks something, is for another app or is too long is a fault")
        func faults() throws {
            let missing = try diagnose(["bundleId": Installation.bundleId, "timestamp": 1])
            #expect(missing.status == 400)
            #expect(missing.json["code"] as? String == "missing_member")
            #expect((missing.json["detail"] as? String)?.hasPrefix("The member is missing") == true)
            let other = try diagnose([
                "bundleId": "com.example.other", "productId": "p", "offerId": "o", "keyIdentifier": "k", "nonce": "n",
                "timestamp": 1, "signature": "MEUC",
            ])
            #expect(other.status == 403)
            #expect(other.json["pointer"] as? String == "/bundleId")
        }
    }
}

@Suite("Diagnoses of other clients' signatures")
struct OtherClientsDiagnosesTests {
    @Test("They help every client that may ask about the app, and an operator")
    func otherClients() throws {
        let service = try RunningService()
        var report = try service.signedReport()
        report["offerId"] = "comeback50"
        let json = try JSONSerialization.data(withJSONObject: report.compactMapValues { $0 })
        let body = String(decoding: json, as: UTF8.self)
        #expect(try service.ask("/v1/diagnoses", body).details.contains { $0.contains("signed the offer anyone") })

        try service.installation.directory.write("report.json", body)
        let operatorSees = try service.installation.diagnose(service.installation.directory.path("report.json"))
        #expect(operatorSees.status == 1)
        #expect(operatorSees.text.contains("signed the offer anyone"))

        let digest = try Installation.digest(of: "second token")
        try service.installation.directory.write(
            "clients.yaml",
            "clients: [{ name: second, tokenSHA256: \"\(digest)\", apps: [\(Installation.bundleId)] }]\n"
        )
        try service.reload()
        let headers = ["Authorization: Bearer second token", "Content-Type: application/json"]
        let answer = try Connection(to: service.server).request("POST", "/v1/diagnoses", headers: headers, body: body)
        #expect(answer.causes == ["offer_mismatch"])
        #expect(answer.details.contains { $0.contains("signed the offer anyone") })
    }
}

extension RunningService {
    /// The report of a signature for the account alice, in which nothing is wrong.
    fileprivate func signedReport() throws -> [String: Any?] {
        let evidence = #""receiptResponse":\#(Customers.active(Customers.transaction()))"#
        let signed = try sign(Customers.request("alice", evidence))
        let discount = try #require(signed.decisions.first?["discount"] as? [String: Any])
        return [
            "bundleId": Installation.bundleId, "productId": "pro.monthly", "offerId": "anyone",
            "applicationUsername": "alice", "keyIdentifier": discount["keyIdentifier"], "nonce": discount["nonce"],
            "timestamp": discount["timestamp"], "signature": discount["signature"],
        ]
    }
}

extension Response {
    fileprivate var causes: [String] { members("code") }
    fileprivate var details: [String] { members("detail") }

    private func members(_ name: String) -> [String] {
        (json["causes"] as? [[String: Any]] ?? []).compactMap { $0[name] as? String }
    }
}
