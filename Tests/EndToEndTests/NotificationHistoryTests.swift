import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

@Suite("What Apple sent and nobody took, with the stand-in App Store", .serialized, .timeLimit(.minutes(20)))
struct NotificationHistoryTests {
    /// Ten thousand notifications need 420 customers: `make soak` has them.
    private static let customers =
        ProcessInfo.processInfo.environment["OFFER_SIGNER_SOAK_SUBSCRIBERS"].flatMap(Int.init) ?? 40

    /// A stand-in whose clock is some hours behind, with customers of a product that renews each week.
    private func appStore(
        for installation: Installation,
        hoursAgo: Double,
        customers: Int = 4
    ) throws -> RunningAppStore {
        let list = (0..<customers).map { "{ name: c\($0), subscriptions: [{ product: pro.weekly, state: active }] }" }
        let start = Date(timeIntervalSinceNow: -hoursAgo * 3600).formatted(.iso8601)
        return try RunningAppStore(
            in: try TemporaryDirectory(),
            scenario: """
                clock: \(start)
                apps:
                  - bundleId: \(Installation.bundleId)
                    issuerId: \(RunningAppStore.issuerId)
                    keys: [{ id: TESTKEY001, publicKeyFile: \(installation.publicKey) }]
                    subscriptionGroups:
                      - id: "20900001"
                        products:
                          - id: pro.weekly
                            period: P1W
                            retentionOffers: [{ id: keep, periods: 3 }]
                customers: [\(list.joined(separator: ", "))]
                """
        )
    }

    /// An installation that asks its own stand-in.
    private func scene(hoursAgo: Double = 3) throws -> (Installation, RunningAppStore) {
        let installation = try Installation()
        let appStore = try appStore(for: installation, hoursAgo: hoursAgo)
        try configure(installation, appStore)
        return (installation, appStore)
    }

    private func configure(_ installation: Installation, _ appStore: RunningAppStore) throws {
        try installation.ask(
            appStore,
            settings: """
                  requestsPerSecond: 1000
                notifications: { host: 127.0.0.1, port: 0, historySeconds: 3600 }
                """,
            products: "{ id: pro.weekly, offers: [{ id: keep }] }"
        )
        try installation.edit("clients.yaml", "apps:", "scopes: [sign, eligibility, redemptions], apps:")
    }

    private func redeem(_ appStore: RunningAppStore, _ customer: Int) throws {
        let body = #"{"originalTransactionId":"\#(try appStore.originalId(of: "c\(customer)"))","offerId":"keep"}"#
        #expect(try appStore.ask("POST", "/simulator/retention-offers", body).status == 200)
    }

    private func advance(_ appStore: RunningAppStore, days: Int) throws {
        #expect(try appStore.ask("POST", "/simulator/clock", #"{"advanceSeconds":\#(days * 86_400)}"#).status == 200)
    }

    private func redemptions(_ service: RunningService, _ query: String = "") throws -> [[String: Any]] {
        let answer = try Connection(to: service.server).request("GET", "/v1/redemptions\(query)")
        return try #require(answer.json["redemptions"] as? [[String: Any]], "\(answer.json)")
    }

    /// How often a service has asked for the history.
    private func calls(_ service: RunningService) throws -> Double {
        try service.metrics().filter { $0.key.contains(#"calls_total{service="notificationHistory""#) }
            .values.reduce(0, +)
    }

    private func recovered(_ service: RunningService) throws -> Double {
        try service.metrics().filter { $0.key.hasPrefix("offer_signer_notification_history_recovered_total") }
            .values.reduce(0, +)
    }

    @Test(
        "What came while the service was down is there soon after its start: a redemption is told, once, and waited for"
    )
    func atStart() throws {
        let (installation, appStore) = try scene()
        try redeem(appStore, 0)
        try redeem(appStore, 1)
        // Apple's first answer is that it was asked too often, the second is none.
        for fault in [#""errorCode":4290000,"retryAfterSeconds":3"#, #""httpStatus":500"#] {
            try appStore.show(fault: #"{"target":"serverAPI","times":1,\#(fault)}"#)
        }
        let start = ContinuousClock.now
        let service = try RunningService(installation)
        let first = try Connection(to: service.server).request("GET", "/v1/redemptions?wait=20&limit=1")
        #expect(start.duration(to: .now) > .seconds(3))
        #expect(try calls(service) == 3)
        let told = try #require((first.json["redemptions"] as? [[String: Any]])?.first)
        #expect(told["begins"] as? String == "next_renewal")
        #expect(told["from"] as? String == "apple")
        #expect(told["transactionId"] == nil)
        #expect(try waitUntil { try redemptions(service).count == 2 })
        #expect(try recovered(service) == 2)
        let next = try #require(first.json["next"] as? String)
        #expect(try redemptions(service, "?after=\(next)").count == 1)
        let marks = try service.metrics().filter { $0.key.hasPrefix("offer_signer_notification_history_mark") }
        #expect(marks.count == 1 && marks.allSatisfy { $0.value > 0 }, "\(marks)")
        let funnel = try installation.ledger("funnel", "--json")
        // Apple gave the offer where the subscription is cancelled: nothing was signed for it here.
        #expect(funnel.text.contains(#""redeemed":0"#) && funnel.text.contains(#""givenByApple":2"#), "\(funnel.text)")
        service.stop()
        #expect(try installation.ledger("export", "--redemptions").text.split(separator: "\n").count == 2)
    }

    @Test("After months without the service it has what its twin has, to which all was delivered")
    func twin() throws {
        let (delivered, missed) = (try Installation(), try Installation())
        let appStore = try appStore(for: delivered, hoursAgo: 24 * 175, customers: Self.customers)
        try FileManager.default.removeItem(atPath: missed.key)
        try FileManager.default.copyItem(atPath: delivered.key, toPath: missed.key)
        for installation in [delivered, missed] { try configure(installation, appStore) }
        let twin = try RunningService(delivered)
        let before = try RunningService(missed)
        let mark = "SELECT mark FROM notification_history"
        #expect(try waitUntil { try !missed.sql(mark).isEmpty })
        before.kill()
        // Its mark is of the stand-in's time.
        try missed.sql("UPDATE notification_history SET (mark, since) = (mark - 15206400000, since - 15206400000)")
        try appStore.call(twin)
        for week in 0..<24 {
            if week % 3 == 0 {
                for customer in stride(from: week, to: Self.customers, by: 5) { try redeem(appStore, customer) }
            }
            try advance(appStore, days: 7)
        }
        let all = try appStore.ask("GET", "/simulator/notifications").json["notifications"] as? [[String: Any]] ?? []
        #expect(all.count > 24 * Self.customers)
        let longest = 100 + all.count / 10
        #expect(try waitUntil(seconds: longest) { try taken(twin) >= all.count })

        let service = try RunningService(missed)
        #expect(try waitUntil(seconds: longest) { try Int(recovered(service)) == all.count })
        twin.stop()
        service.stop()
        func lines(_ installation: Installation) throws -> [String] {
            try installation.ledger("export", "--redemptions").text.split(separator: "\n").map(String.init).sorted()
        }
        #expect(try !lines(delivered).isEmpty)
        #expect(try lines(delivered) == lines(missed))
        let bodies = "SELECT hex(body) FROM held_subscriptions ORDER BY original_transaction_id"
        #expect(try delivered.sql(bodies) == missed.sql(bodies))

        // Once more changes nothing, and is told in no feed twice.
        let again = try catchUp(missed, "--since", "180d")
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.text.contains(" notifications, new 0\n"), "\(again.text)")
        #expect(try delivered.sql(bodies) == missed.sql(bodies))
        #expect(try lines(delivered) == lines(missed))
    }

    @Test("An app that the catalog got later is caught up with from then on")
    func laterApp() throws {
        let (installation, appStore) = try scene()
        for file in ["catalog.yaml", "clients.yaml"] {
            try installation.edit(file, Installation.bundleId, "com.example.other")
        }
        let service = try RunningService(installation)
        try appStore.call(service)
        try redeem(appStore, 0)
        #expect(try waitUntil { try taken(service) == 1 })
        for file in ["catalog.yaml", "clients.yaml"] {
            try installation.edit(file, "com.example.other", Installation.bundleId)
        }
        try service.reload()
        #expect(try waitUntil { try redemptions(service).count == 1 })
        #expect(try recovered(service) == 1)
        service.stop()
    }

    private func taken(_ service: RunningService) throws -> Int {
        let counts = try service.metrics().filter { $0.key.hasPrefix("offer_signer_notifications_total") }
        return Int(counts.values.reduce(0, +))
    }

    private func catchUp(_ installation: Installation, _ arguments: String...) throws -> ChildProcess.Outcome {
        try Executable.run(["notifications", "catch-up", "--config", installation.configuration] + arguments)
    }

    @Test("A window that Apple refuses is a warning with Apple's words, an alert, and is left alone for an hour")
    func refusedWindow() throws {
        let (installation, appStore) = try scene()
        try redeem(appStore, 0)
        try appStore.show(fault: #"{"target":"serverAPI","times":1,"errorCode":4000012}"#)
        let service = try RunningService(installation)
        let words = "errorCode 4000012: The start date is too far in the past."
        #expect(
            try waitUntil {
                let warnings = try service.readiness().details["warnings"] as? [String] ?? []
                return warnings.contains { $0.contains(words) }
            }
        )
        #expect(try service.readiness().status == 200)
        #expect(service.log.contains(words))
        #expect(service.log.contains(#""againInSeconds":"3600""#), "\(service.log)")
        #expect(try service.metrics()["offer_signer_warnings{kind=\"history\"}"] == 1)
        sleep(5)
        #expect(try calls(service) == 1)
        try catchUp(installation, "--since", "12h").expect(0)
        try appStore.show(fault: #"{"target":"serverAPI","times":1,"errorCode":4000012}"#)
        let refused = try catchUp(installation, "--since", "12h")
        #expect(refused.status == 1 && refused.errors.contains(words), "\(refused.errors)")
        service.stop()
    }

    @Test("An environment in which Apple refuses the key is told at once, and the next one is read all the same")
    func refusedEnvironment() throws {
        let (installation, appStore) = try scene()
        try installation.edit("catalog.yaml", "    keys:", "    environments: [Production, Sandbox]\n    keys:")
        try appStore.show(fault: #"{"target":"serverAPI","times":1,"httpStatus":401}"#)
        try RunningService(installation, flags: ["--notifications-history-seconds", "0"]).stop()
        let start = ContinuousClock.now
        let outcome = try catchUp(installation, "--since", "12h")
        #expect(outcome.status == 1 && outcome.text.contains("\(Installation.bundleId), Sandbox: "), "\(outcome.text)")
        #expect(outcome.errors.contains("error: \(Installation.bundleId), Production: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("401") && !outcome.errors.contains("again"), "\(outcome.errors)")
        #expect(start.duration(to: .now) < .seconds(60))
    }

    @Test("Apple's history is asked in the name of apps with an issuer; check warns of others, and it is no fault")
    func warning() throws {
        let installation = try Installation()
        try installation.configure("notifications: { host: 127.0.0.1, port: 0 }\n")
        let outcome = try installation.check()
        outcome.expect(0, "write issuerId on the app in the catalog, or set notifications.historySeconds: 0")
        let refused = try catchUp(installation)
        refused.expect(1, "issuerId")
        #expect(try catchUp(installation, "--since", "181d").status == 64)
    }

    @Test("A test notification says whether Apple reaches the service")
    func test() throws {
        let (installation, appStore) = try scene(hoursAgo: 0)
        func ask() throws -> ChildProcess.Outcome {
            let arguments = ["notifications", "test", "--config", installation.configuration]
            return try Executable.run(arguments + ["--bundle-id", Installation.bundleId])
        }
        let without = try ask()
        #expect(without.status == 1)
        #expect(without.text.contains("has no notification URL"), "\(without.text)")
        let service = try RunningService(installation)
        try appStore.call(service)
        let delivered = try ask()
        #expect(delivered.status == 0, "\(delivered.text) \(delivered.errors)")
        #expect(delivered.text == "Production: SUCCESS\n")
        service.stop()
    }
}
