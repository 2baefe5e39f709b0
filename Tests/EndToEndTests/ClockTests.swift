import Foundation
import Testing

@Suite("The service's clock")
struct ClockTests {
    /// An installation with a stand-in App Store of the real time, and a service whose clock is moved by a file's seconds.
    private struct MovedClock {
        let installation: Installation
        let appStore: RunningAppStore?
        let service: RunningService
        private let offset: String

        /// Without a stand-in, nobody can say what Apple's clock shows.
        init(movedBy seconds: Int, hasAppStore: Bool = true) throws {
            installation = try Installation()
            offset = installation.directory.path("offset")
            try Data("\(seconds)".utf8).write(to: URL(filePath: offset), options: .atomic)
            if hasAppStore {
                let appStore = try RunningAppStore(for: installation)
                self.appStore = appStore
                try installation.ask(appStore, products: "{ id: pro.monthly, offers: [{ id: anyone }] }")
            } else {
                appStore = nil
                let closed = "http://127.0.0.1:1"
                try installation.configure(
                    """
                    appStore:
                      { verifyReceiptURL: "\(closed)", sandboxVerifyReceiptURL: "\(closed)", serverAPIURL: "\(closed)",
                        sandboxServerAPIURL: "\(closed)" }
                    """
                )
            }
            let clock = try SharedObject.build(
                SharedObject.clock(movedBy: offset),
                named: "clock.so",
                in: installation.directory
            )
            service = try RunningService(installation, environment: ["LD_PRELOAD": clock])
        }

        func move(_ seconds: Int) throws {
            try Data("\(seconds)".utf8).write(to: URL(filePath: offset), options: .atomic)
        }

        func lines(_ words: String) -> Int { service.log.components(separatedBy: words).count - 1 }
    }

    @Test("By a clock that is not Apple's nothing is signed, eligibility says so, and it ends when the clock is right")
    func notApples() throws {
        let moved = try MovedClock(movedBy: 1200)
        let (service, appStore) = (moved.service, try #require(moved.appStore))
        let offers = #""offers":[{"productId":"pro.monthly","offerId":"anyone"}]"#
        let evidence = #""evidence":{"receiptResponse":\#(try appStore.receiptResponse(of: "lapsed"))}"#
        func ask(_ path: String, _ evidence: String) throws -> Response {
            try service.ask(path, #"{"applicationUsername":"a",\#(evidence),\#(offers)}"#)
        }
        // Nothing of Apple's clock is known so far, and a client's date tells nothing of it.
        #expect(try ask("/v1/signatures", evidence).status == 200)
        #expect(try service.readiness().status == 200)
        // Apple refuses a token of the future, and its answer has its clock.
        let id = try appStore.originalId(of: "lapsed")
        let refused = try ask("/v1/signatures", #""evidence":{"transactionId":"\#(id)"}"#)
        #expect(refused.status == 503 && refused.json["code"] as? String == "clock_wrong", "\(refused.json)")
        #expect((refused.json["detail"] as? String)?.contains("seconds ahead of Apple's") == true)
        let details = try service.waitUntilReadiness(is: 503)
        #expect((details["faults"] as? [String])?.first?.contains(" seconds ahead of Apple's") == true)
        #expect(try service.metrics()["offer_signer_clock_fault{fault=\"ahead_of_apple\"}"] == 1)
        let again = try ask("/v1/signatures", evidence)
        #expect(again.status == 503 && again.json["code"] as? String == "clock_wrong")
        let eligible = try ask("/v1/eligibility", evidence)
        #expect(eligible.status == 200 && eligible.decisions.first?["verdict"] as? String == "eligible")
        #expect(eligible.json["warnings"] as? [String] == ["clock_wrong"])
        #expect(waitUntil { moved.lines(#""message":"the clock is 12"#) == 1 }, "\(service.log)")

        try moved.move(0)
        try service.waitUntilReadiness(is: 200)
        #expect(try ask("/v1/signatures", evidence).status == 200)
        #expect(try ask("/v1/eligibility", evidence).json["warnings"] == nil)
        #expect(waitUntil { moved.lines("the clock is right again") == 1 }, "\(service.log)")
        service.stop()
    }

    @Test("Where Apple cannot be asked, a jump of the clock makes it unready until it is back, or an operator reloads")
    func jump() throws {
        let moved = try MovedClock(movedBy: 0, hasAppStore: false)
        let service = moved.service
        try service.waitUntilReadiness(is: 200)
        try moved.move(86_400)
        let details = try service.waitUntilReadiness(is: 503)
        #expect((details["faults"] as? [String])?.contains { $0.hasPrefix("the clock jumped 86") } == true)
        try moved.move(0)
        try service.waitUntilReadiness(is: 200)
        try moved.move(86_400)
        try service.waitUntilReadiness(is: 503)
        try service.reload()
        try service.waitUntilReadiness(is: 200)
        service.stop()
    }
}
