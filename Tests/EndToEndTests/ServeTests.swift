import ChildProcess
import Foundation
import Testing

extension SharedServiceTests {
    @Suite("The service over a socket")
    struct ServeTests {
        private let service: RunningService

        init() throws { service = try PlainScene.running().service }

        @Test("Operators see that it lives, that it is ready, and which version it is, on their listener alone")
        func admin() throws {
            try service.waitUntilReadiness(is: 200)
            let connection = try Connection(to: service.admin)
            #expect(try connection.request("GET", "/livez").status == 200)
            let ready = try connection.request("GET", "/readyz")
            #expect(ready.status == 200)
            #expect(ready.json["status"] as? String == "ready")
            let version = try connection.request("GET", "/version").json["version"] as? String
            #expect(service.firstLine.contains(try #require(version)))
            #expect(try connection.request("HEAD", "/readyz").status == 200)
            #expect(try connection.request("GET", "/v1/signatures").status == 404)
            for path in ["/readyz", "/metrics"] {
                #expect(try Connection(to: service.server).request("GET", path).status == 404)
            }
        }

        @Test(
            "A port that is taken is said in one line with the setting, and is exit 1",
            arguments: ["server", "admin"]
        )
        func portTaken(listener: String) throws {
            let taken = listener == "server" ? service.server.port : service.admin.port
            let outcome = try Installation().serve("--\(listener)-port", "\(taken)")
            #expect(outcome.status == 1)
            let words = "127.0.0.1:\(taken): Address already in use; stop the other program that listens there, or set "
            #expect(outcome.errors.contains("\(words)another \(listener).port"), "\(outcome.errors)")
            #expect(outcome.errors.split(separator: "\n").count { $0.hasPrefix("error: ") } == 1, "\(outcome.errors)")
        }

        @Test("The details of the description's examples are the service's own, but for dates and groups")
        func exampleDetails() throws {
            func plain(_ detail: String) -> String {
                detail.replacing(/\d{4}-\d\d-\d\d/, with: "DATE").replacing(/group \w+/, with: "group ID")
            }
            func details(in value: Any?, ofDecision: Bool = false) -> [String] {
                if let list = value as? [Any] { return list.flatMap { details(in: $0, ofDecision: ofDecision) } }
                guard let members = value as? [String: Any] else { return [] }
                let own = ofDecision ? [members["detail"] as? String].compactMap(\.self) : []
                return own + members.flatMap { details(in: $1, ofDecision: ofDecision || $0 == "examples") }
            }
            let description = try Connection(to: service.server).request("GET", "/v1/openapi.json").json
            let offers = Customers.offers("comeback50")
            let lapsed = Customers.lapsed(Customers.transaction())
            let newcomer = Customers.neverSubscribed
            let refused = #"""
                {"keyIdentifier":"K","productId":"pro.monthly","offerId":"comeback50","nonce":"n","timestamp":1795239688,\#
                "signature":"MEUC"}
                """#
            let answers = [
                ("/v1/signatures", #"{"evidence":{"receiptResponse":\#(lapsed)},\#(offers)}"#),
                ("/v1/signatures", #"{"applicationUsername":"a",\#(offers)}"#),
                (
                    "/v1/eligibility",
                    #"{"evidence":{"receiptResponse":\#(newcomer)},\#(offers),"products":["pro.monthly"]}"#
                ),
                ("/v1/product-reports", #"{"product_id":"p","price":1,"country_code":"GER","currency_code":"EUR"}"#),
                ("/v1/diagnoses", refused),
            ]
            let said = try Set(
                answers.flatMap { details(in: try service.ask($0, $1).json, ofDecision: true) }.map(plain)
            )
            let examples = Set(details(in: description["paths"]).map(plain))
            #expect(examples.count == 6)
            #expect(examples.subtracting(said).isEmpty, "\(examples.subtracting(said))")
        }
    }
}
