import ChildProcess
import Crypto
import Foundation
import Testing

@Suite("Diagnoses over a socket")
struct DiagnosesTests {
    private let service: RunningService

    init() throws { service = try RunningService() }

    private func diagnose(_ report: [String: Any?]) throws -> Response {
        let json = try JSONSerialization.data(withJSONObject: report.compactMapValues { $0 })
        return try Connection(to: service.server)
            .request("POST", "/v1/diagnoses", body: String(decoding: json, as: UTF8.self))
    }

    private func codes(_ response: Response) -> [String] {
        (response.json["causes"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    }

    @Test("The service's own signature is valid, and a field that was changed on the way is named")
    func diagnoses() throws {
        let offers = #"[{"productId":"pro.monthly","offerId":"anyone"}]"#
        let signed = try service.sign(
            #"""
            {"appAccountToken":"7E3FB20B-4CDB-47CC-936D-99D65F608138","offers":\#(offers),
            "evidence":{"receiptResponse":\#(Customers.active)}}
            """#
        )
        let discount = try #require(signed.decisions.first?["discount"] as? [String: Any])
        var report: [String: Any?] = [
            "bundleId": Installation.bundleId, "productId": "pro.monthly", "offerId": "anyone",
            "appAccountToken": "7e3fb20b-4cdb-47cc-936d-99d65f608138", "keyIdentifier": discount["keyIdentifier"],
            "nonce": discount["nonce"], "timestamp": discount["timestamp"], "signature": discount["signature"],
        ]
        let right = try diagnose(report)
        #expect(right.status == 200)
        #expect(right.json["valid"] as? Bool == true)
        #expect(codes(right).isEmpty)

        report["offerId"] = "comeback50"
        #expect(try codes(diagnose(report)) == ["offer_mismatch"])
        report["offerId"] = "anyone"
        report["timestamp"] = (discount["timestamp"] as? Int).map { $0 / 1000 }
        #expect(try codes(diagnose(report)).contains("timestamp_in_seconds") == true)
    }

    private func signedReport() throws -> [String: Any?] {
        let signed = try service.sign(
            #"""
            {"applicationUsername":"alice","offers":[{"productId":"pro.monthly","offerId":"anyone"}],
            "evidence":{"receiptResponse":\#(Customers.active)}}
            """#
        )
        let discount = try #require(signed.decisions.first?["discount"] as? [String: Any])
        return [
            "bundleId": Installation.bundleId, "productId": "pro.monthly", "offerId": "anyone",
            "applicationUsername": "alice", "keyIdentifier": discount["keyIdentifier"], "nonce": discount["nonce"],
            "timestamp": discount["timestamp"], "signature": discount["signature"],
        ]
    }

    private func details(_ response: Response) -> [String] {
        (response.json["causes"] as? [[String: Any]] ?? []).compactMap { $0["detail"] as? String }
    }

    @Test("A recorded signature is compared field by field, for any number of differences and any signature")
    func recorded() throws {
        var report = try signedReport()
        let timestamp = try #require(report["timestamp"] as? Int)
        report["timestamp"] = timestamp + 1
        let moved = try diagnose(report)
        #expect(moved.json["valid"] as? Bool == false)
        #expect(codes(moved) == ["unexplained"])
        #expect(details(moved).first?.contains("timestamp \(timestamp) ") == true)

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
        #expect(Set(codes(many)).isSuperset(of: expected))
        for signed in ["\(timestamp)", "TESTKEY001", "pro.monthly", "anyone"] {
            #expect(details(many).contains { $0.contains("signed the") && $0.contains(" \(signed) ") }, "\(signed)")
        }
        #expect(!details(many).joined().contains("alice"), "nobody learns whom it was signed for")

        var other = try signedReport()
        other["applicationUsername"] = "Alice"
        #expect(try codes(diagnose(other)) == ["account_case"])
        other["applicationUsername"] = "ALICE"
        #expect(try codes(diagnose(other)) == ["account_case"])
        other["applicationUsername"] = nil as Any?
        #expect(try codes(diagnose(other)) == ["account_unexpected"])
    }

    @Test("Another client's signatures are not looked at, though the app is the same; an operator sees all")
    func otherClients() throws {
        var report = try signedReport()
        report["offerId"] = "comeback50"
        #expect(try details(diagnose(report)).contains { $0.contains("signed the offer anyone") })

        let json = try JSONSerialization.data(withJSONObject: report.compactMapValues { $0 })
        let file = service.installation.directory.path("report.json")
        try json.write(to: URL(filePath: file))
        let arguments = ["diagnose", "--config", service.installation.configuration, file]
        let operatorSees = try Executable.run(arguments)
        #expect(operatorSees.status == 1)
        #expect(operatorSees.text.contains("signed the offer anyone"))

        let digest = SHA256.hash(data: Data("second token".utf8)).map { String(format: "%02x", $0) }.joined()
        try service.installation.directory.write(
            "clients.yaml",
            "clients: [{ name: second, tokenSHA256: \"\(digest)\", apps: [\(Installation.bundleId)] }]\n"
        )
        try service.reload()
        let headers = ["Authorization: Bearer second token", "Content-Type: application/json"]
        let answer = try Connection(to: service.server)
            .request("POST", "/v1/diagnoses", headers: headers, body: String(decoding: json, as: UTF8.self))
        #expect(codes(answer) == ["offer_mismatch"], "recomputed, as ever")
        #expect(!details(answer).contains { $0.contains("signed the") })
    }

    @Test("A report that lacks something, and another client's app, are faults")
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
        let large = try diagnose(["signature": String(repeating: "A", count: 20_000)])
        #expect(large.status == 413)
    }
}
