import Foundation
import Testing

@Suite("The service's clock")
struct ClockTests {
    private func status(_ service: RunningService, until wanted: Int) throws -> (status: Int, details: [String: Any]) {
        var readiness = try service.readiness()
        try waitUntil {
            readiness = try service.readiness()
            return readiness.status == wanted
        }
        return readiness
    }

    @Test(
        "A clock that is not Apple's makes it unready as soon as Apple is asked, not for a client's date, until it is right"
    )
    func notApples() throws {
        let installation = try Installation()
        let appStore = try RunningAppStore(
            for: installation,
            customers: "[{ name: lapsed, subscriptions: [{ product: pro.monthly, state: lapsed }] }]",
            clock: Date() - 600
        )
        try installation.directory.write("shared.secret", "secret")
        try installation.ask(
            appStore,
            app: "    sharedSecretFile: shared.secret\n    appStoreCacheSeconds: 0",
            products: "{ id: pro.monthly, offers: [{ id: anyone }] }"
        )
        let service = try RunningService(installation)
        let customer = try appStore.ask("GET", "/simulator/customers/lapsed").json
        let offers = #""offers":[{"productId":"pro.monthly","offerId":"anyone"}]"#
        func ask(_ evidence: String) throws {
            _ = try service.sign(#"{"applicationUsername":"a","evidence":{\#(evidence)},\#(offers)}"#)
        }
        let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
        let transaction = try #require(subscription["signedTransaction"] as? String)
        // What an additional root signs is genuine, but tells nothing of Apple's clock.
        try ask(#""signedTransactions":["\#(transaction)"]"#)
        try ask(#""receiptResponse":\#(try appStore.receiptResponse(of: "lapsed"))"#)
        #expect(try service.readiness().status == 200)

        let receipt = try #require(customer["receipt"] as? String)
        try ask(#""receipt":"\#(receipt)""#)
        let (unready, details) = try service.readiness()
        #expect(unready == 503)
        let faults = try #require(details["faults"] as? [String])
        #expect(faults.count == 1 && faults[0].contains(" seconds ahead of Apple's"))
        let metrics = try service.metrics()
        #expect(metrics["offer_signer_clock_fault{fault=\"ahead_of_apple\"}"] == 1)
        #expect(metrics["offer_signer_ready"] == 0)

        #expect(try appStore.ask("POST", "/simulator/clock", #"{"reset":true}"#).status == 200)
        try ask(#""receipt":"\#(receipt)""#)
        #expect(try service.readiness().status == 200)
        #expect(try service.metrics()["offer_signer_ready"] == 1)
    }

    @Test("A jump of the clock makes it unready until the clock is back, or an operator reloads")
    func jump() throws {
        let seconds = 86_400
        let installation = try Installation()
        let offset = installation.directory.path("offset")
        func move(_ seconds: Int) throws {
            try Data("\(seconds)".utf8).write(to: URL(filePath: offset), options: .atomic)
        }
        try move(0)
        let clock = try SharedObject.build(
            SharedObject.clock(movedBy: offset),
            named: "clock.so",
            in: installation.directory
        )
        let service = try RunningService(installation, environment: ["LD_PRELOAD": clock])
        #expect(try status(service, until: 200).status == 200)
        try move(seconds)
        let (jumped, details) = try status(service, until: 503)
        #expect(jumped == 503)
        #expect((details["faults"] as? [String])?.contains { $0.hasPrefix("the clock jumped 86") } == true)
        try move(0)
        #expect(try status(service, until: 200).status == 200)
        try move(seconds)
        #expect(try status(service, until: 503).status == 503)
        try service.reload()
        #expect(try status(service, until: 200).status == 200)
    }
}
