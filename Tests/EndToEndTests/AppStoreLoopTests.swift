import ChildProcess
import Foundation
import Testing

struct AppStoreLoopScene: SharedScene {
    /// Each is bought for by one test alone.
    static let customers = """
        [{ name: lapsed, subscriptions: [{ product: pro.monthly, state: lapsed }] },
         { name: gone, subscriptions: [{ product: pro.monthly, state: lapsed }] },
         { name: active, subscriptions: [{ product: pro.monthly, state: active }] },
         { name: allowed }, { name: forbidden }]
        """

    let installation: Installation
    let appStore: RunningAppStore
    let service: RunningService

    init() throws {
        installation = try Installation()
        appStore = try RunningAppStore(for: installation, customers: Self.customers)
        let offers = "{ id: once, maxRedemptions: 1 }, { id: anyone }"
        try installation.ask(appStore, products: "{ id: pro.monthly, offers: [\(offers)] }")
        service = try RunningService(installation)
    }
}

@Suite("From asking to redeemed, with the stand-in App Store", .serialized, .sharing(AppStoreLoopScene.self))
struct AppStoreLoopTests {
    private let installation: Installation
    private let service: RunningService
    private let appStore: RunningAppStore
    /// Each test has one of its own.
    private let account = UUID().uuidString

    init() throws {
        let scene = try AppStoreLoopScene.running()
        (installation, service, appStore) = (scene.installation, scene.service, scene.appStore)
    }

    /// Asks the service for an offer, with an App Store's answer of this moment.
    private func decision(for customer: String, offer: String = "once") throws -> [String: Any] {
        let response = try service.sign(
            #"""
            {"appAccountToken":"\#(account)","offers":[{"productId":"pro.monthly","offerId":"\#(offer)"}],
            "evidence":{"receiptResponse":\#(try appStore.receiptResponse(of: customer))}}
            """#
        )
        #expect(response.status == 200)
        return try #require(response.decisions.first)
    }

    @Test(
        "An offer is signed, bought and seen as redeemed; the second one is refused",
        arguments: [("lapsed", "lapsed", "SUBSCRIBED"), ("active", "active", "OFFER_REDEEMED")]
    )
    func redeemed(customer: String, state: String, notification: String) throws {
        let first = try decision(for: customer)
        #expect(first["reason"] as? String == state)
        let discount = try #require(first["discount"] as? [String: Any])
        let bought = try appStore.buy(as: customer, discount, account: account)
        #expect(bought.status == 200, "\(bought.json)")
        #expect(bought.json["notificationType"] as? String == notification)
        let again = try appStore.buy(as: customer, discount, account: account)
        #expect(again.json["storeKitError"] as? Int == 12)
        let second = try decision(for: customer)
        #expect(second["verdict"] as? String == "ineligible")
        #expect(second["reason"] as? String == "redemption_limit")
        #expect(second["discount"] == nil)
        let other = try decision(for: customer, offer: "anyone")
        #expect(other["verdict"] as? String == "eligible")
    }

    @Test(
        "The App Store obeys what the service signs of introductory offers, which is what it decided",
        arguments: [("allowed", true, true), ("forbidden", false, false), ("gone", true, true)]
    )
    func introductoryOffer(customer: String, allows: Bool, isAllowed: Bool) throws {
        let view = try appStore.ask("GET", "/simulator/customers/\(customer)").json
        let id = try #require(view["appTransactionId"] as? String)
        let answer = try service.ask(
            "/v1/introductory-eligibility-signatures",
            #"{"appAccountToken":"\#(account)","products":["pro.monthly"],"allowIntroductoryOffer":\#(allows),"#
                + #""transactionId":"\#(id)","evidence":{"transactionId":"\#(id)"}}"#
        )
        let product = try #require((answer.json["products"] as? [[String: Any]])?.first)
        #expect(product["allowIntroductoryOffer"] as? Bool == isAllowed)
        let jws = try #require(product["jws"] as? String)
        let purchase: [String: Any] = ["productId": "pro.monthly", "introductoryOfferEligibility": jws]
        let bought = try appStore.buy(as: customer, purchase)
        #expect(bought.status == 200, "\(bought.json)")
        #expect((bought.json["transaction"] as? [String: Any])?["offerType"] as? Int == (isAllowed ? 1 : nil))
        #expect(try appStore.buy(as: customer, purchase).json["storeKitError"] as? Int == 12)
    }

    @Test("It says where it is and where its root is, keeps its key to itself, and ends on SIGTERM")
    func process() throws {
        let appStore = try RunningAppStore(for: installation, customers: AppStoreLoopScene.customers)
        #expect(appStore.root == appStore.directory.path("root.pem"))
        let root = try Executable.run(["x509", "-in", appStore.root, "-noout", "-subject"], of: "/usr/bin/openssl")
        #expect(root.text.contains("Simulated App Store Root CA"))
        #expect(try appStore.ask("GET", "/simulator/root.pem").body == Data(contentsOf: URL(filePath: appStore.root)))
        let directory = ["--directory", appStore.directory.url.path]
        let taken = try Executable.run(
            ["app-store", "--port", "\(appStore.address.port)"] + directory,
            of: Executable.lab
        )
        taken.expect(1, "127.0.0.1:\(appStore.address.port)")
        try appStore.directory.write("app-store.yaml", "apps: red\n")
        let bad = try Executable.run(["app-store", "--port", "0"] + directory, of: Executable.lab)
        bad.expect(78, "app-store.yaml: apps")
        #expect(try Executable.run(["app-store", "--port", "70000"], of: Executable.lab).status == 64)
        appStore.signal(SIGTERM)
        #expect(appStore.wait() == 0)
    }

    @Test("A first start in a new directory makes a service's key and configuration, whose signatures are taken")
    func firstStart() throws {
        let directory = try TemporaryDirectory()
        let home = directory.path("app-store")
        let lab = try ChildProcess(Executable.lab, ["app-store", "--port", "0", "--directory", home])
        var output = ""
        try waitUntil(seconds: 120) {
            output = try String(contentsOf: lab.errorFile, encoding: .utf8)
            return output.contains("serve --config") || lab.hasEnded
        }
        let configuration = try #require(output.firstMatch(of: /serve --config (\S+)\n/)).1
        let announced = try String(contentsOf: lab.outputFile, encoding: .utf8)
        let port = try #require(announced.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) })
        let product = "com.example.reader.pro.monthly"
        let arguments = ["--bundle-id", "com.example.reader", "--product-id", product, "--offer-id", "comeback50"]
        let signed = try Executable.run(
            ["sign", "--config", String(configuration), "--application-username", "a", "--skip-eligibility"] + arguments
        )
        let discount = try #require(signed.decision["discount"] as? [String: Any], "\(signed.errors)")
        let purchase: [String: Any] = [
            "customer": "lapsed", "productId": product, "applicationUsername": "a", "discount": discount,
        ]
        let body = String(decoding: try JSONSerialization.data(withJSONObject: purchase), as: UTF8.self)
        let bought = try Connection(to: Connection.Address(port: port))
            .request("POST", "/simulator/purchases", headers: [], body: body)
        #expect(bought.status == 200, "\(bought.json)")
        lab.send(SIGTERM)
        #expect(lab.wait() == 0)
    }

    @Test("A decision says what it rests on and of when; with a timeout, what is remembered answers before Apple does")
    func sources() throws {
        let installation = try Installation()
        let appStore = try RunningAppStore(for: installation)
        try installation.ask(
            appStore,
            settings: "  timeoutSeconds: 60",
            app: "    appStoreCacheSeconds: 0",
            products: "{ id: pro.monthly, offers: [{ id: anyone }] }"
        )
        let service = try RunningService(installation)
        let offers = Customers.offers("anyone")
        let id = try appStore.originalId(of: "lapsed")
        func ask(_ evidence: String, _ fields: [String] = []) throws -> Response {
            let body = #"{"appAccountToken":"\#(account)",\#(evidence.isEmpty ? "" : "\(evidence),")\#(offers)}"#
            let own = ["Authorization: Bearer \(Installation.token)", "Content-Type: application/json"]
            return try Connection(to: service.server).request(
                "POST",
                "/v1/signatures",
                headers: own + fields,
                body: body
            )
        }
        func source(_ response: Response) throws -> String? {
            let decision = try #require(response.decisions.first, "\(response.json)")
            #expect(decision["verdict"] as? String == "eligible")
            #expect((decision["asOf"] as? String)?.hasSuffix("Z") == true)
            return decision["source"] as? String
        }
        let byId = #""evidence":{"transactionId":"\#(id)"}"#
        #expect(try source(ask(byId)) == "appStore")
        #expect(try source(ask("")) == "held")
        let sent = #""evidence":{"receiptResponse":\#(try appStore.receiptResponse(of: "lapsed"))}"#
        #expect(try source(ask(sent)) == "evidence")

        func calls() throws -> Double {
            try service.metrics().filter {
                $0.key.hasPrefix("offer_signer_app_store_calls_total{service=\"serverAPI\"")
            }
            .values.reduce(0, +)
        }
        let before = try calls()
        try appStore.show(fault: #"{"target":"serverAPI","delayMilliseconds":40000}"#)
        #expect(try source(ask(byId, ["Request-Timeout-Milliseconds: 50"])) == "held")
        #expect(try calls() == before, "Apple has not answered yet")
        for malformed in ["0", "-1", "1.5", "soon", "3600001"] {
            let refused = try ask(byId, ["Request-Timeout-Milliseconds: \(malformed)"])
            #expect(refused.status == 400 && refused.json["code"] as? String == "invalid_value", "\(refused.json)")
        }
        service.kill()
    }
}
