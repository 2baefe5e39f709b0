import ChildProcess
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

    @Test("What the service signed is valid, and what was changed on the way is named")
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

    @Test("A report that lacks something, and another client's app, are faults")
    func faults() throws {
        let missing = try diagnose(["bundleId": Installation.bundleId, "timestamp": 1])
        #expect(missing.status == 400)
        #expect(missing.json["code"] as? String == "missing_member")
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
