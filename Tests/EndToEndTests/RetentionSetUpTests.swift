import ChildProcess
import FakeServer
import Foundation
import Testing

@Suite("Setting retention messages up by commands, at the stand-in App Store")
struct RetentionSetUpTests {
    private static let id = "00000000-0000-4000-8000-000000000001"

    private let installation: Installation
    private let appStore: RunningAppStore

    init() throws {
        installation = try Installation()
        appStore = try RunningAppStore(
            in: try TemporaryDirectory(),
            scenario: """
                apps:
                  - bundleId: \(Installation.bundleId)
                    keys: [{ id: TESTKEY001, publicKeyFile: \(installation.publicKey) }]
                    retention:
                      messages: [{ id: \(Self.id) }]
                      performanceTest: { totalRequests: 4, totalDuration: 2000, responseTimeThreshold: 30000 }
                    subscriptionGroups: [{ id: "20900001", products: [{ id: pro.monthly }, { id: pro.yearly }] }]
                customers:
                  - { name: tester, environment: Sandbox, subscriptions: [{ product: pro.monthly, state: active }] }
                """
        )
        let address = "http://127.0.0.1:\(appStore.address.port)"
        try installation.directory.write(
            "offer-signer.yaml",
            """
            catalog: catalog.yaml
            clients: clients.yaml
            appStore: { serverAPIURL: "\(address)", sandboxServerAPIURL: "\(address)/sandbox" }
            """
        )
        let catalog = try String(
            contentsOf: installation.directory.url.appending(path: "catalog.yaml"),
            encoding: .utf8
        )
        try installation.directory.write(
            "catalog.yaml",
            catalog.replacing("id: TESTKEY001,", with: "id: TESTKEY001, issuerId: \(RunningAppStore.issuerId),")
        )
    }

    private func retention(
        _ arguments: String...,
        app: String = Installation.bundleId,
        input: String = ""
    ) throws -> ChildProcess.Outcome {
        try Executable.run(
            ["retention"] + arguments + ["--config", installation.configuration, "--bundle-id", app],
            input: Data(input.utf8)
        )
    }

    private func control(_ path: String, _ body: String) throws {
        let answer = try appStore.ask("POST", "/simulator/\(path)", body)
        try #require(answer.status == 200, "\(answer.json)")
    }

    @Test("A message is uploaded, reviewed, made the default, and taken away again")
    func messages() throws {
        let put = try retention("messages", "put", "-", input: #"{"header":"Stay","body":"Half the price."}"#)
        #expect(put.status == 0, "\(put.errors)")
        let made = put.text.trimmingCharacters(in: .newlines)
        #expect(UUID(uuidString: made) != nil)
        let list = try retention("messages", "list")
        #expect(list.text.split(separator: "\n") == ["\(Self.id) APPROVED", "\(made) PENDING"])
        let places = ["--product-id", "pro.monthly", "--product-id", "pro.yearly", "--locale", "en-US"]
        func defaults(_ arguments: String...) throws -> ChildProcess.Outcome {
            let app = ["--config", installation.configuration, "--bundle-id", Installation.bundleId]
            return try Executable.run(["retention", "defaults"] + arguments + places + app)
        }
        let early = try defaults("set", "--message-id", made)
        #expect(early.status == 1)
        #expect(early.errors.contains("\"pro.monthly\" in en-US: the message is not approved"), "\(early.errors)")
        try control(
            "retention-messages",
            #"{"bundleId":"\#(Installation.bundleId)","messageIdentifier":"\#(made)","state":"APPROVED"}"#
        )
        #expect(try defaults("set", "--message-id", made).status == 0)
        let known = try defaults("get")
        #expect(known.text.split(separator: "\n") == ["pro.monthly en-US \(made)", "pro.yearly en-US \(made)"])
        #expect(known.errors.contains("waiting 1 s: Apple takes one such call in 1 s"))
        #expect(try defaults("delete").status == 0)
        let gone = try defaults("get")
        #expect(gone.status == 1 && gone.text.isEmpty && gone.errors.contains("no default message"))
        #expect(try retention("messages", "delete", made).status == 0)
        let again = try retention("messages", "delete", made)
        #expect(again.status == 1 && again.errors.contains("4040015"))
    }

    @Test("An address is set in the Sandbox at once, and in Production once a test has passed")
    func addresses() throws {
        let url = "https://offers.example.com/v1/retention-messages"
        let none = try retention("url", "get", "--environment", "Sandbox")
        #expect(none.status == 1 && none.errors.contains("retention url set"))
        #expect(try retention("url", "set", url, "--environment", "Sandbox").status == 0)
        #expect(try retention("url", "get", "--environment", "Sandbox").text == url + "\n")
        let untested = try retention("url", "set", url)
        #expect(untested.status == 1)
        #expect(untested.errors.contains("retention test start"), "\(untested.errors)")

        let answer = Self.answer
        let endpoint = try FakeServer { _ in FakeServer.Reply(200, answer) }
        try control(
            "retention-url",
            #"{"bundleId":"\#(Installation.bundleId)","environment":"Sandbox","url":"\#(endpoint.url)/v1"}"#
        )
        let customer = try appStore.ask("GET", "/simulator/customers/tester").json
        let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
        let id = try #require(subscription["originalTransactionId"] as? String)
        let test = try retention("test", "start", "--transaction-id", id)
        #expect(test.status == 0, "\(test.errors)")
        let result = try #require(try JSONSerialization.jsonObject(with: test.output) as? [String: Any])
        #expect(result["result"] as? String == "PASS")
        #expect(result["numPending"] as? Int == 0)
        #expect(endpoint.requests.count == 4)
        #expect(try retention("url", "set", url).status == 0)
        #expect(try retention("url", "get").text == url + "\n")
        #expect(try retention("url", "delete").status == 0)
        #expect(try retention("url", "get").status == 1)
    }

    private static let answer = #"{"message":{"messageIdentifier":"\#(id)"}}"#

    @Test("A test without --wait says how its result is asked for; one that fails is exit 1")
    func failedTest() throws {
        let endpoint = try FakeServer { _ in FakeServer.Reply(500) }
        try control("retention-url", #"{"bundleId":"\#(Installation.bundleId)","url":"\#(endpoint.url)/v1"}"#)
        let customer = try appStore.ask("GET", "/simulator/customers/tester").json
        let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
        let id = try #require(subscription["originalTransactionId"] as? String)
        let started = try retention("test", "start", "--transaction-id", id, "--no-wait")
        #expect(started.status == 0, "\(started.errors)")
        let test = try #require(try JSONSerialization.jsonObject(with: started.output) as? [String: Any])
        let requestId = try #require(test["requestId"] as? String)
        var result: ChildProcess.Outcome
        let deadline = Date() + 60
        repeat {
            result = try retention("test", "result", requestId)
            #expect(result.status == 1)
        } while result.text.contains("PENDING") && Date() < deadline
        #expect(result.text.contains(#""failures":{"UNSUCCESSFUL_HTTP_RESPONSE_CODE":4}"#), "\(result.text)")
        #expect(result.errors.contains("has not passed"))
        let unknown = try retention("test", "result", "none")
        #expect(unknown.status == 1 && unknown.errors.contains("4040018"))
    }

    @Test(
        "The error of an app without access says how to ask for it, a limit is waited for, and unknown apps are refused"
    )
    func refusals() throws {
        try control("faults", #"{"target":"retention","times":1,"noAccess":true}"#)
        let access = try retention("messages", "list")
        #expect(access.status == 1 && access.errors.contains("Apple grants"), "\(access.errors)")
        try control("faults", #"{"target":"retention","times":1,"errorCode":4290000,"retryAfterSeconds":1}"#)
        let limited = try retention("messages", "list")
        #expect(limited.status == 0 && limited.errors.contains("Apple asks for patience"), "\(limited.errors)")
        let stranger = try retention("url", "get", app: "com.example.other")
        #expect(stranger.status == 1 && stranger.errors.contains("the catalog has no app of this bundle id"))
        try installation.directory.write("offer-signer.yaml", "catalog: none.yaml\n")
        #expect(try retention("url", "get").status == 78)
    }

    @Test(
        "Arguments that Apple would refuse are refused before Apple is asked",
        arguments: [
            (["url", "set", "http://offers.example.com/v1"], "https"),
            (["url", "set", "https://u:p@offers.example.com/"], "https"),
            (["url", "set", "https://a/" + String(repeating: "x", count: 250)], "260 characters"),
            (["messages", "delete", "stay"], "UUID"), (["messages", "put", "-", "--message-id", "stay"], "UUID"),
            (["defaults", "get", "--product-id", "p", "--locale", "english!"], "locale"),
            (["defaults", "get", "--product-id", "p"], "locale"),
            (["test", "start", "--transaction-id", "x"], "digits"),
            (["test", "start", "--transaction-id", "1", "--environment", "Production"], "Sandbox"),
            (["url", "get", "--environment", "Xcode"], "Xcode"), (["url"], "USAGE"), (["test"], "USAGE"),
        ] as [([String], String)]
    )
    func badUsage(arguments: [String], words: String) throws {
        let app =
            arguments.count == 1 ? [] : ["--config", installation.configuration, "--bundle-id", Installation.bundleId]
        let outcome = try Executable.run(["retention"] + arguments + app)
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test("A message that Apple would not take is refused at its place, and one of two identifiers too")
    func badMessage() throws {
        let long = try retention("messages", "put", "-", input: #"{"header":"h","body":""}"#)
        #expect(long.status == 1 && long.errors.contains("/body"), "\(long.errors)")
        let two = try retention(
            "messages",
            "put",
            "-",
            "--message-id",
            UUID().uuidString,
            input: #"{"header":"h","body":"b","messageIdentifier":"\#(Self.id)"}"#
        )
        #expect(two.status == 64 && two.errors.contains("messageIdentifier"))
        let taken = try retention("messages", "put", "-", "--message-id", Self.id, input: #"{"header":"h","body":"b"}"#)
        #expect(taken.status == 1 && taken.errors.contains("another identifier"), "\(taken.errors)")
    }
}
