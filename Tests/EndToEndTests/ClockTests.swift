import Foundation
import Testing

@Suite("The service's clock")
struct ClockTests {
    private func status(_ service: RunningService, until wanted: Int) throws -> (status: Int, details: [String: Any]) {
        let deadline = Date() + 20
        while true {
            let readiness = try service.readiness()
            if readiness.status == wanted || Date() > deadline { return readiness }
            usleep(100_000)
        }
    }

    @Test("No date that a client sends makes the service unready")
    func clientsDates() throws {
        let service = try RunningService()
        let future = "\((Int64(Date().timeIntervalSince1970) + 1_000_000) * 1000)"
        let past = "\((Int64(Date().timeIntervalSince1970) - 1_000_000) * 1000)"
        for date in [future, past, "\(Int64.max)", "0", "-1"] {
            let receipt =
                #"{"receipt_type":"Production","bundle_id":"com.example.reader","request_date_ms":"\#(date)"}"#
            let body = #"""
                {"applicationUsername":"a","evidence":{"receiptResponse":{"status":0,"environment":"Production",
                "receipt":\#(receipt)}},"offers":[{"productId":"pro.monthly","offerId":"anyone"}]}
                """#
            let headers = [
                "Authorization: Bearer \(Installation.token)", "Content-Type: application/json",
                "Date: Fri, 01 Jan 2100 00:00:00 GMT",
            ]
            let response = try Connection(to: service.server).request(
                "POST",
                "/v1/signatures",
                headers: headers,
                body: body
            )
            #expect(response.status < 500)
            let (status, details) = try service.readiness()
            #expect(status == 200)
            #expect((details["faults"] as? [String])?.isEmpty == true)
        }
    }

    @Test(
        "A clock that is not Apple's makes it unready as soon as Apple is asked, and set right again, ready",
        arguments: [-600, 600]
    )
    func notApples(seconds: Int) throws {
        let installation = try Installation()
        let appStore = try RunningAppStore(
            for: installation,
            customers: "[{ name: lapsed, subscriptions: [{ product: pro.monthly, state: lapsed }] }]",
            clock: Date() + Double(seconds)
        )
        let url = "http://127.0.0.1:\(appStore.address.port)"
        let main = try String(contentsOfFile: installation.configuration, encoding: .utf8)
        try installation.directory.write(
            "offer-signer.yaml",
            main + "\nappStore: { verifyReceiptURL: \(url)/verifyReceipt, additionalRoots: [\(appStore.root)] }\n"
        )
        try installation.directory.write("shared.secret", "secret")
        let catalog = try String(contentsOfFile: installation.directory.path("catalog.yaml"), encoding: .utf8)
        try installation.directory.write(
            "catalog.yaml",
            catalog.replacing(
                "    keys:",
                with: "    sharedSecretFile: shared.secret\n    appStoreCacheSeconds: 0\n    keys:"
            )
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
        let side = seconds < 0 ? "ahead of" : "behind"
        let faults = try #require(details["faults"] as? [String])
        #expect(faults.count == 1 && faults[0].contains(" seconds \(side) Apple's"))
        let metrics = try service.metrics()
        let name = seconds < 0 ? "ahead_of_apple" : "behind_apple"
        #expect(metrics["offer_signer_clock_fault{fault=\"\(name)\"}"] == 1)
        #expect(metrics["offer_signer_ready"] == 0)

        #expect(try appStore.ask("POST", "/simulator/clock", #"{"reset":true}"#).status == 200)
        try ask(#""receipt":"\#(receipt)""#)
        #expect(try service.readiness().status == 200)
        #expect(try service.metrics()["offer_signer_ready"] == 1)
    }

    @Test(
        "A jump of the clock makes it unready until the clock is back, or an operator reloads",
        arguments: [-86_400, 86_400]
    )
    func jump(seconds: Int) throws {
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
