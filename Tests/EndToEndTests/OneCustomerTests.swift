import ChildProcess
import Foundation
import Testing

@Suite("One customer, and one catalog, with the stand-in App Store", .serialized, .timeLimit(.minutes(10)))
struct OneCustomerTests {
    private static let account = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

    private let installation: Installation
    private let appStore: RunningAppStore

    init() throws {
        installation = try Installation()
        appStore = try RunningAppStore(
            for: installation,
            customers: """
                [{ name: gone, subscriptions: [{ product: pro.monthly, state: lapsed }] },
                 { name: lone, subscriptions: [{ product: pro.monthly, state: lapsed }] }]
                """
        )
        try installation.ask(
            appStore,
            settings: "log: { decisions: all, format: json }",
            products: "{ id: pro.monthly, offers: [{ id: anyone, maximumSignaturesPerCustomer: 2 }] }"
        )
    }

    private func sign(_ service: RunningService, _ customer: String, account: String?) throws -> Response {
        let whose = account.map { #""appAccountToken":"\#($0)","# } ?? ""
        let evidence = #""evidence":{"transactionId":"\#(try appStore.originalId(of: customer))"}"#
        return try service.sign(#"{\#(whose)"offers":[{"productId":"pro.monthly","offerId":"anyone"}],\#(evidence)}"#)
    }

    private func show(_ arguments: String...) throws -> [String: Any] {
        let outcome = try Executable.run(
            ["ledger", "show", "--config", installation.configuration, "--bundle-id", Installation.bundleId, "--json"]
                + arguments
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.json
    }

    private func list(_ name: String, of report: [String: Any]) throws -> [[String: Any]] {
        try #require(report[name] as? [[String: Any]], "\(report)")
    }

    @Test(
        "All of a customer is shown; the log names the customer by the same digest; who is forgotten leaves records alone"
    )
    func shown() throws {
        let service = try RunningService(installation)
        for _ in 0..<3 { #expect(try sign(service, "gone", account: Self.account).status == 200) }
        #expect(try sign(service, "lone", account: nil).status == 200)
        let token = ["--app-account-token", Self.account.uppercased()]
        #expect(try waitUntil { try list("subscriptions", of: try show(token[0], token[1])).count == 1 })
        let report = try show(token[0], token[1])
        #expect(
            Set(report.keys) == [
                "customer", "signatures", "limits", "subscriptions", "redemptions", "holdouts", "stays",
            ]
        )
        #expect(try list("signatures", of: report).count == 2)
        let limit = try #require(try list("limits", of: report).first)
        #expect(
            limit["signatures"] as? Int == 2 && limit["maximum"] as? Int == 2 && limit["freeAt"] is String,
            "\(limit)"
        )
        let held = try #require(try list("subscriptions", of: report).first)
        #expect(held["state"] as? String == "lapsed" && held["toldBy"] as? String == "apple", "\(held)")
        let lines = try service.logLines().filter { $0["message"] as? String == "decision" }
        let customer = try #require(report["customer"] as? String)
        let own = lines.filter { $0["customer"] as? String == customer }
        #expect(own.compactMap { $0["reason"] as? String } == ["lapsed", "lapsed", "signature_limit"])
        #expect(own.allSatisfy { $0["requestId"] is String && $0["level"] as? String == "notice" }, "\(own)")

        let stranger = try show("--app-account-token", UUID().uuidString)
        for name in ["signatures", "limits", "subscriptions", "redemptions", "holdouts"] {
            #expect(try list(name, of: stranger).isEmpty, "\(name)")
        }

        // Without an account, by the transaction id.
        let id = try appStore.originalId(of: "lone")
        let lone = try show("--original-transaction-id", id)
        #expect(try list("signatures", of: lone).count == 1)
        #expect(lines.contains { $0["customer"] as? String == lone["customer"] as? String })
        #expect(try installation.ledger("forget", "--original-transaction-id", id).status == 0)
        #expect(try installation.ledger("forget", token[0], token[1]).status == 0)
        for report in [try show("--original-transaction-id", id), try show(token[0], token[1])] {
            #expect(try list("subscriptions", of: report).isEmpty)
            #expect(try !list("signatures", of: report).isEmpty)
            let stays = try #require(report["stays"] as? [String])
            #expect(stays.contains { $0.hasPrefix("Erased on ") }, "\(stays)")
        }
        let erasures = try installation.ledger("export", "--erasures").text.split(separator: "\n")
        #expect(erasures.count == 2)
        #expect(try installation.ledger("verify").status == 0)
        service.stop()
    }

    @Test("The page tries a subscription alone, and at another time; it shows how many signatures a limit has")
    func tried() throws {
        let service = try RunningService(installation)
        #expect(try sign(service, "gone", account: Self.account).status == 200)
        let id = try appStore.originalId(of: "gone")
        func tried(_ members: String) throws -> Response {
            try Connection(to: service.admin).request("POST", "/try", body: "{\(members)}")
        }
        let question = #""originalTransactionId":"\#(id)""#
        #expect(try waitUntil { try tried(question).decisions.first?["verdict"] as? String == "eligible" })
        let decision = try #require(try tried(question).decisions.first)
        let signatures = try #require(decision["signatures"] as? [String: Any], "\(decision)")
        #expect(signatures["count"] as? Int == 1 && signatures["maximum"] as? Int == 2)
        let before = try #require(try tried("\(question),\"at\":1767225600000").decisions.first)
        let findings = try #require(before["explanation"] as? [[String: Any]])
        #expect(findings.contains { ($0["saw"] as? String)?.contains("clock says 2026-01-01T00:00:00Z") == true })
        for wrong in [
            "\(question),\"evidence\":{\"transactionId\":\"\(id)\"}", "\(question),\"at\":\"yesterday\"",
            "\(question),\"at\":-1", "\(question),\"at\":1.5", #""originalTransactionId":"x""#,
        ] { #expect(try tried(wrong).status == 400, "\(wrong)") }
        #expect(try service.ask("/v1/eligibility", "{\(question)}").status == 400)
        service.stop()
    }

    @Test("Another catalog is tried, without keys and without a record; its faults are those of check")
    func anotherCatalog() throws {
        let service = try RunningService(installation)
        #expect(try sign(service, "gone", account: Self.account).status == 200)
        #expect(try sign(service, "lone", account: nil).status == 200)
        service.stop()
        let text = try String(contentsOf: installation.directory.url.appending(path: "catalog.yaml"), encoding: .utf8)
        let keys = text.split(separator: "\n").filter { !$0.contains("keys:") }.joined(separator: "\n")
        try installation.directory.write(
            "other.yaml",
            keys.replacing("id: anyone", with: "id: anyone, audience: [active]")
        )
        func run(_ arguments: String..., with file: String = "other.yaml") throws -> ChildProcess.Outcome {
            let path = installation.directory.url.appending(path: file).path
            return try Executable.run(
                ["catalog", "try", "--config", installation.configuration, "--with", path] + arguments
            )
        }
        let outcome = try run("--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = outcome.json
        #expect(report["customers"] as? Int == 2 && report["changedMeanwhile"] as? Int == 0)
        let row = try #require(try list("offers", of: report).first)
        #expect(["before", "with", "gained", "lost"].map { row[$0] as? Int } == [2, 0, 0, 2], "\(row)")
        let move = try #require((row["moves"] as? [[String: Any]])?.first)
        #expect(move["from"] as? String == "lapsed" && move["to"] as? String == "state_not_in_audience", "\(move)")
        #expect(try installation.records().count == 2)
        #expect(try run("--offer", "pro.monthly/none").status == 64)
        #expect(try run("--offer", "pro.monthly").status == 64)
        #expect(try run(with: "missing.yaml").status == 78)
        try installation.directory.write("bad.yaml", "apps: [{ bundleId: x, color: red }]")
        #expect(try run(with: "bad.yaml").status == 78)
        try installation.directory.write("bad.yaml", "apps: [{ bundleId: x, sharedSecretFile: [1], issuerId: [2] }]")
        try run(with: "bad.yaml").expect(78, "sharedSecretFile: is a list", "issuerId: is a list")
    }
}
