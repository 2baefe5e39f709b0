import Foundation
import Testing

extension SharedServiceTests {
    @Suite("Eligibility and explanations over a socket")
    struct EligibilityTests {
        private let service: RunningService

        init() throws { service = try PlainScene.running().service }

        @Test("Every offer of the catalog, and the introductory offers asked about, without a signature")
        func eligibility() throws {
            let active = Customers.active(Customers.transaction())
            let response = try service.ask(
                "/v1/eligibility",
                #"{"evidence":{"receiptResponse":\#(active)},"products":["pro.monthly","pro.weekly"]}"#
            )
            #expect(response.status == 200)
            #expect(response.decisions.map { $0["offerId"] as? String } == ["anyone", "comeback50"])
            #expect(response.decisions.map { $0["reason"] as? String } == ["active", "state_not_in_audience"])
            #expect(response.decisions.allSatisfy { $0["discount"] == nil && $0["explanation"] == nil })
            #expect(response.decisions.first?["begins"] as? String == "next_renewal")
            let products = try #require(response.json["products"] as? [[String: Any]])
            let introductory = products.compactMap { $0["introductoryOffer"] as? [String: Any] }
            #expect(introductory.map { $0["verdict"] as? String } == ["ineligible", "unknown"])
            #expect(introductory.map { $0["reason"] as? String } == ["active_subscription", "group_unknown"])
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

        @Test("A signature is explained on request, and signed all the same")
        func explanation() throws {
            let transaction = Customers.transaction()
            let response = try service.sign(
                #"{"evidence":{"receiptResponse":\#(Customers.lapsed(transaction))},"#
                    + #"\#(Customers.offers("comeback50")),"explain":true}"#
            )
            let decision = try #require(response.decisions.first)
            #expect(decision["discount"] != nil)
            let explanation = try #require(decision["explanation"] as? [[String: String]])
            #expect(
                explanation.allSatisfy { Set($0.keys) == ["rule", "saw", "verdict"] && $0["verdict"] == "eligible" }
            )
            #expect(explanation.first { $0["rule"] == "audience" }?["saw"] == decision["detail"] as? String)
            let basis = try #require(explanation.first { $0["rule"] == "subscription" }?["saw"])
            let start =
                "Subscription \(transaction) of pro.monthly, auto-renew off; its newest transaction that counts is "
            #expect(basis.hasPrefix("\(start)\(transaction) of"), "\(basis)")
        }
    }
}
