import ChildProcess
import Foundation
import Testing

@Suite("Customers who are held out of an offer, with the stand-in App Store", .serialized, .timeLimit(.minutes(10)))
struct HoldoutTests {
    private static let message = "00000000-0000-4000-8000-000000000001"
    private static let lapsed = 120
    private static let active = 16

    private let installation: Installation
    private let appStore: RunningAppStore

    init() throws {
        installation = try Installation()
        let lapsed = (0..<Self.lapsed).map {
            "{ name: lapsed\($0), subscriptions: [{ product: pro.monthly, state: lapsed }] }"
        }
        let active = (0..<Self.active).map {
            "{ name: active\($0), subscriptions: [{ product: pro.monthly, state: active }] }"
        }
        appStore = try RunningAppStore(
            in: try TemporaryDirectory(),
            scenario: """
                apps:
                  - bundleId: \(Installation.bundleId)
                    appAppleId: 1234567890
                    issuerId: \(RunningAppStore.issuerId)
                    keys: [{ id: TESTKEY001, publicKeyFile: \(installation.publicKey) }]
                    retention:
                      messages: [{ id: \(Self.message) }]
                      defaults: [{ product: pro.monthly, locale: en-US, message: \(Self.message) }]
                      performanceTest: { responseTimeThreshold: 30000 }
                    subscriptionGroups:
                      - { id: "20900001", products: [{ id: pro.monthly, offers: [{ id: anyone, periods: 3 }] }] }
                customers: [\((lapsed + active).joined(separator: ", "))]
                """
        )
        // With a key of its own each run would draw other customers.
        try installation.directory.write("digest.key", String(repeating: "holdouts", count: 4), mode: 0o600)
        try installation.ask(
            appStore,
            settings: """
                  requestsPerSecond: 1000
                notifications: { host: 127.0.0.1, port: 0, historySeconds: 0 }
                retention: { timeoutMilliseconds: 5000 }
                ledger: { url: "sqlite:ledger.sqlite", digestKeyFile: digest.key }
                """,
            app: """
                    appAppleId: 1234567890
                    requireAccount: true
                    retention:
                      messages: { stay: { default: \(Self.message) } }
                      rules: [{ products: [pro.monthly], offer: anyone, message: stay }, { message: stay }]
                """,
            products: "{ id: pro.monthly, offers: [{ id: anyone, holdout: { percent: 50, name: spring26 } }] }"
        )
    }

    /// An account of each customer.
    private func account(_ customer: Int) -> String { String(format: "00000000-0000-4000-8000-%012d", customer) }

    private func body(_ customer: Int) throws -> String {
        #"""
        {"appAccountToken":"\#(account(customer))","offers":[{"productId":"pro.monthly","offerId":"anyone"}],
        "evidence":{"transactionId":"\#(try appStore.originalId(of: "lapsed\(customer)"))"}}
        """#
    }

    /// A number of the first holdout in the answer of `ledger holdouts`, or of the page.
    private func arm(_ name: String, of report: [String: Any]) throws -> [Int?] {
        let holdout = try #require((report["holdouts"] as? [[String: Any]])?.first, "\(report)")
        #expect(holdout["name"] as? String == "spring26")
        let arm = try #require(holdout[name] as? [String: Any])
        return [arm["customers"] as? Int, arm["boughtSince"] as? Int]
    }

    private func report() throws -> [String: Any] { try installation.ledger("holdouts", "--json").json }

    @Test(
        "Two services hold out the same customers in all calls; what they buy later is counted, and shown on the page"
    )
    func planted() throws {
        let service = try RunningService(installation)
        let other = try RunningService(installation)
        try appStore.call(service)
        var heldOut: [Int] = []
        for customer in 0..<Self.lapsed {
            let body = try body(customer)
            let first = try #require(try service.ask("/v1/signatures", body).decisions.first)
            let isHeldOut = first["reason"] as? String == "held_out"
            #expect((first["discount"] == nil) == isHeldOut, "\(first)")
            if isHeldOut { heldOut.append(customer) }
            for path in ["/v1/signatures", "/v1/eligibility"] {
                let again = try #require(try other.ask(path, body).decisions.first)
                #expect(again["reason"] as? String == first["reason"] as? String)
            }
        }
        // Three standard deviations of 120 draws.
        #expect(abs(heldOut.count - 60) <= 16)
        let offered = (0..<Self.lapsed).filter { !heldOut.contains($0) }

        // The planted effect: three in ten of those with the offer buy, one in ten of the others.
        let buyers = (offered.prefix(offered.count * 3 / 10), heldOut.prefix(heldOut.count / 10))
        for customer in buyers.0 + buyers.1 {
            let purchase = ["productId": "pro.monthly", "appAccountToken": account(customer)]
            #expect(try appStore.buy(as: "lapsed\(customer)", purchase).status == 200)
        }
        let wanted = ["offered": [offered.count, buyers.0.count], "heldOut": [heldOut.count, buyers.1.count]]
        func shows(_ report: [String: Any]) throws -> Bool {
            try wanted.allSatisfy { try arm($0.key, of: report) == $0.value }
        }
        #expect(try waitUntil { try shows(try report()) }, "not \(wanted)")
        let holdout = try #require((try report()["holdouts"] as? [[String: Any]])?.first)
        #expect(holdout["percent"] as? Int == 50 && holdout["sizesFit"] as? Bool == true, "\(holdout)")
        let text = try installation.ledger("holdouts").text
        #expect(text.contains("held out        \(heldOut.count) customers, \(buyers.1.count) bought since"), "\(text)")
        #expect(text.contains("No winner is announced"))

        // The page has the same, from a reading of its own.
        var page: [String: Any] = [:]
        _ = try waitUntil(seconds: 60) {
            page =
                try Connection(to: service.admin).request("GET", "/overview.json").json["holdouts"] as? [String: Any]
                ?? [:]
            return page["readAt"] != nil
        }
        let production = try #require((page["environments"] as? [[String: Any]])?.first)
        #expect(try shows(production), "\(page)")

        service.stop()
        other.stop()
    }

    @Test("A try on the page records nobody")
    func tried() throws {
        let service = try RunningService(installation)
        for customer in 0..<4 {
            let tried = try Connection(to: service.admin).request("POST", "/try", body: try body(customer))
            #expect(tried.decisions.first?["verdict"] != nil, "\(tried.json)")
        }
        service.stop()
        #expect(try arm("offered", of: try report()) == [0, 0])
        #expect(try arm("heldOut", of: try report()) == [0, 0])
    }

    @Test("A retention call whose offer is held out is answered by the next rule, and counts")
    func retention() throws {
        let service = try RunningService(installation)
        try appStore.call(service, for: "retention", at: "retention-messages")
        var answers: [String: String] = [:]
        // The service asks Apple about a customer after the first answer; it knows all of them soon.
        let known = try waitUntil(seconds: 60) {
            for customer in 0..<Self.active {
                let id = try appStore.originalId(of: "active\(customer)")
                let call = #"{"originalTransactionId":"\#(id)"}"#
                let shown = try appStore.ask("POST", "/simulator/retention", call).json
                answers["active\(customer)"] = try #require(shown["shown"] as? String, "\(shown)")
            }
            let (offered, heldOut) = (try arm("offered", of: try report()), try arm("heldOut", of: try report()))
            return (offered[0] ?? 0) + (heldOut[0] ?? 0) == Self.active
        }
        #expect(known, "\(answers)")
        service.stop()
        let (offered, heldOut) = (try arm("offered", of: try report()), try arm("heldOut", of: try report()))
        #expect(answers.values.count { $0 == "promotionalOffer" } == offered[0], "\(answers)")
        #expect(answers.values.count { $0 == "message" } == heldOut[0], "\(answers)")
    }
}
