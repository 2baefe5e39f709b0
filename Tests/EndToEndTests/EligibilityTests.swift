import Foundation
import Testing

@Suite("Eligibility and explanations over a socket")
struct EligibilityTests {
    private let service: RunningService

    init() throws { service = try RunningService() }

    private func ask(_ path: String, _ body: String) throws -> Response {
        try Connection(to: service.server).request("POST", path, body: body)
    }

    @Test("Every offer of the catalog, and the introductory offers asked about, without a signature")
    func eligibility() throws {
        let response = try ask(
            "/v1/eligibility",
            #"{"evidence":{"receiptResponse":\#(Customers.active)},"products":["pro.monthly","pro.weekly"]}"#
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

    @Test("A customer without a subscription may have the introductory offer, and no promotional one")
    func newCustomer() throws {
        let response = try ask(
            "/v1/eligibility",
            #"{"evidence":{"receiptResponse":\#(Customers.neverSubscribed)},"products":["pro.monthly"]}"#
        )
        #expect(Set(response.decisions.compactMap { $0["reason"] as? String }) == ["never_subscribed"])
        let products = try #require(response.json["products"] as? [[String: Any]])
        let introductory = try #require(products.first?["introductoryOffer"] as? [String: Any])
        #expect(introductory["verdict"] as? String == "eligible")
        #expect(introductory["reason"] as? String == "never_used")
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
        let offers = #""offers":[{"productId":"pro.monthly","offerId":"comeback50"}]"#
        let report = #"{"product_id":"p","price":1,"country_code":"GER","currency_code":"EUR"}"#
        let refused = #"""
            {"keyIdentifier":"K","productId":"pro.monthly","offerId":"comeback50","nonce":"n","timestamp":1795239688,\#
            "signature":"MEUC"}
            """#
        let answers = [
            try ask("/v1/signatures", #"{"evidence":{"receiptResponse":\#(Customers.lapsed)},\#(offers)}"#),
            try ask("/v1/signatures", #"{"applicationUsername":"a",\#(offers)}"#),
            try ask(
                "/v1/eligibility",
                #"{"evidence":{"receiptResponse":\#(Customers.neverSubscribed)},\#(offers),"products":["pro.monthly"]}"#
            ),
            try ask("/v1/product-reports", report),
            try ask("/v1/diagnoses", refused),
        ]
        let said = Set(answers.flatMap { details(in: $0.json, ofDecision: true) }.map(plain))
        let examples = Set(details(in: description["paths"]).map(plain))
        #expect(examples.count == 6)
        #expect(examples.subtracting(said).isEmpty, "\(examples.subtracting(said))")
    }

    @Test("A signature is explained on request, and signed all the same")
    func explanation() throws {
        let offers = #"[{"productId":"pro.monthly","offerId":"comeback50"}]"#
        let response = try ask(
            "/v1/signatures",
            #"{"evidence":{"receiptResponse":\#(Customers.lapsed)},"offers":\#(offers),"explain":true}"#
        )
        let decision = try #require(response.decisions.first)
        #expect(decision["discount"] != nil)
        let explanation = try #require(decision["explanation"] as? [[String: String]])
        #expect(explanation.allSatisfy { Set($0.keys) == ["rule", "saw", "verdict"] && $0["verdict"] == "eligible" })
        #expect(explanation.first { $0["rule"] == "audience" }?["saw"] == decision["detail"] as? String)
        let basis = try #require(explanation.first { $0["rule"] == "subscription" }?["saw"])
        #expect(
            basis.hasPrefix("Subscription 1 of pro.monthly, auto-renew off; its newest transaction that counts is 1 of")
        )
    }
}
