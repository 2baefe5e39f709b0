import Foundation
import Testing

struct SimulatedEvidenceScene: SharedScene {
    fileprivate static let states = ["lapsed", "active", "refunded"]

    private static let customers: String = {
        let customers =
            states.map { "{ name: \($0), subscriptions: [{ product: pro.monthly, state: \($0) }] }" } + [
                "{ name: committed, subscriptions: [{ product: pro.yearly, billingPlanType: MONTHLY, "
                    + "state: activeAutoRenewOff }] }",
                "{ name: unshared, subscriptions: [{ product: pro.monthly, state: familyRevoked }] }",
                "{ name: seat, subscriptions: [{ product: pro.monthly, state: assigned }] }",
                "{ name: unseated, subscriptions: [{ product: pro.monthly, state: assignmentRevoked }] }",
                "{ name: kept, subscriptions: [{ product: pro.monthly, state: active, retentionOffer: keep }] }",
                "{ name: away, subscriptions: [{ product: pro.monthly, state: lapsed, "
                    + "eligibleWinBackOfferIds: [second, first] }] }",
            ]
        return "[\(customers.joined(separator: ", "))]"
    }()

    let appStore: RunningAppStore
    let service: RunningService

    init() throws { try self.init(receipts: "serverAPI") }

    init(receipts: String) throws {
        let installation = try Installation()
        appStore = try RunningAppStore(for: installation, customers: Self.customers)
        let winBack = #"[{ id: first, url: "https://apps.apple.com/win-back/first" }]"#
        let offers =
            "{ id: anyone }, { id: families, familyShared: allow }, "
            + "{ id: keep, maxRedemptions: 1 }, { id: seats, assigned: allow }"
        try installation.ask(
            appStore,
            app: "    environments: [Production, Sandbox]\n    receipts: \(receipts)",
            products: "{ id: pro.monthly, offers: [\(offers)], winBackOffers: \(winBack) }, { id: pro.yearly }"
        )
        service = try RunningService(installation)
    }
}

@Suite("Every kind of evidence, with the stand-in App Store", .serialized, .sharing(SimulatedEvidenceScene.self))
struct SimulatedEvidenceTests {
    private let service: RunningService
    private let appStore: RunningAppStore

    init() throws {
        let scene = try SimulatedEvidenceScene.running()
        (service, appStore) = (scene.service, scene.appStore)
    }

    private static func asking(_ offers: String...) -> String {
        let all = offers.map { #"{"productId":"pro.monthly","offerId":"\#($0)"}"# }
        return #""offers":[\#(all.joined(separator: ","))]"#
    }

    @Test("Apple's members of 2025 are decided alike from the Server API, from signed data, and from held state")
    func recent() throws {
        let offers = Self.asking("anyone", "families", "keep", "seats")
        let expected = [
            "committed": [String](repeating: "active_auto_renew_off", count: 4),
            "unshared": ["family_shared", "lapsed", "family_shared", "family_shared"],
            "seat": ["assigned", "assigned", "assigned", "active"],
            "unseated": ["assigned", "assigned", "assigned", "lapsed"],
            "kept": ["active", "active", "redemption_limit", "active"],
            "away": ["lapsed", "lapsed", "lapsed", "lapsed"],
        ]
        for (name, reasons) in expected {
            let customer = try appStore.ask("GET", "/simulator/customers/\(name)").json
            let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
            func text(_ member: String) throws -> String { try #require(subscription[member] as? String) }
            let account = #""applicationUsername":"\#(name)""#
            let signed = [
                #""signedTransactions":["\#(try text("signedTransaction"))"]"#,
                #""signedRenewalInfos":["\#(try text("signedRenewalInfo"))"]"#,
            ]
            let evidence = [
                #","evidence":{\#(signed.joined(separator: ","))}"#,
                #","evidence":{"transactionId":"\#(try text("transactionId"))"}"#, "",
            ]
            for evidence in evidence {
                let body = #"{\#(account)\#(evidence),"products":["pro.monthly"],\#(offers)}"#
                let response = try service.ask("/v1/eligibility", body)
                let found = response.decisions.compactMap { $0["reason"] as? String }
                #expect(found == reasons, "\(name) \(evidence.prefix(30)) \(response.json)")
                let winBack = [response.json, (response.json["products"] as? [[String: Any]])?.first ?? [:]].map {
                    ($0["winBackOffers"] as? [[String: String]])?.map { [$0["id"], $0["url"]] }
                }
                let links = [["second", nil], ["first", "https://apps.apple.com/win-back/first"]]
                #expect(winBack == (name == "away" ? [links, links] : [nil, nil]))
            }
        }
    }

    @Test("A customer is the same customer by any evidence", arguments: ["verifyReceipt", "serverAPI"])
    func kinds(receipts: String) throws {
        let scene =
            receipts == "serverAPI"
            ? try SimulatedEvidenceScene.running() : try SimulatedEvidenceScene(receipts: receipts)
        let (service, appStore) = (scene.service, scene.appStore)
        for state in SimulatedEvidenceScene.states {
            let customer = try appStore.ask("GET", "/simulator/customers/\(state)").json
            let receipt = try #require(customer["receipt"] as? String)
            let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
            func text(_ member: String) throws -> String { try #require(subscription[member] as? String) }
            let kinds = [
                #""receiptResponse":\#(try appStore.receiptResponse(of: state))"#, #""receipt":"\#(receipt)""#,
                #""transactionId":"\#(try text("transactionId"))""#,
                #""signedTransactions":["\#(try text("signedTransaction"))"],"signedRenewalInfos":["# + "\""
                    + (try text("signedRenewalInfo")) + "\"]",
            ]
            for evidence in kinds {
                for path in ["/v1/signatures", "/v1/eligibility"] {
                    let response = try Connection(to: service.server).request(
                        "POST",
                        path,
                        body: #"{"evidence":{\#(evidence)},"offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
                    )
                    let body = String(decoding: response.body, as: UTF8.self)
                    #expect(response.status == 200, "\(evidence.prefix(40)) \(body)")
                    #expect(response.decisions.first?["reason"] as? String == state, "\(evidence.prefix(40)) \(body)")
                }
            }
        }
    }
}
