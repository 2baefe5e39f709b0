import ChildProcess
import FakeServer
import Foundation
import Testing

@Suite("One call of Apple's by hand")
struct AppleCallTests {
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0xFF, 0x00])

    private let installation: Installation

    init() throws {
        installation = try Installation()
        try installation.nameIssuer()
    }

    /// Has the command ask this address.
    private func ask(at address: String) throws {
        try installation.configure(
            "appStore: { serverAPIURL: \"\(address)\", sandboxServerAPIURL: \"\(address)/sandbox\" }",
            anew: true
        )
    }

    private func apple(_ arguments: String..., app: String = Installation.bundleId) throws -> ChildProcess.Outcome {
        let options = ["apple", "--config", installation.configuration, "--bundle-id", app]
        return try Executable.run(options + arguments)
    }

    private func file(_ name: String, _ content: Data) throws -> String {
        let path = installation.directory.path(name)
        try content.write(to: URL(filePath: path))
        return path
    }

    @Test("Each method is sent once as it is written, signed for the app; a .png as image/png, another body as JSON")
    func request() throws {
        let server = try FakeServer { _ in FakeServer.Reply(202, "") }
        try ask(at: server.url)
        let body = Data("{ \"a\" :\t1 }\n".utf8)
        let (json, image) = (try file("body.txt", body), try file("page.PNG", Self.png))
        for arguments in [
            ["GET", "/inApps/v1/x?status=1&status=2"], ["DELETE", "/inApps/v1/messaging/default/a%20b/en-US"],
            ["POST", "/inApps/v1/x"], ["PUT", "/inApps/v1/x", json], ["PUT", "/inApps/v1/x", image],
        ] {
            let outcome = try Executable.run(
                ["apple", "--config", installation.configuration, "--bundle-id", Installation.bundleId] + arguments
            )
            #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.errors)")
        }
        let sent = server.requests
        #expect(
            sent.map { "\($0.method) \($0.path)" } == [
                "GET /inApps/v1/x?status=1&status=2", "DELETE /inApps/v1/messaging/default/a%20b/en-US",
                "POST /inApps/v1/x", "PUT /inApps/v1/x", "PUT /inApps/v1/x",
            ]
        )
        #expect(sent.map(\.body) == [Data(), Data(), Data(), body, Self.png])
        #expect(sent.suffix(2).map { $0.headers["content-type"] } == ["application/json", "image/png"])
        let token = try #require(sent.first?.headers["authorization"]?.split(separator: " ").last)
        let part = String(token.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = part + String(repeating: "=", count: (4 - part.count % 4) % 4)
        let claims = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: padded))) as? [String: Any]
        #expect(claims?["bid"] as? String == Installation.bundleId)
        #expect(claims?["iss"] as? String == RunningAppStore.issuerId)
    }

    @Test(
        "Apple's body is on standard output as it came; 2xx is exit 0, and any other status exit 1 with our word",
        arguments: [
            (200, "{ \"b\":\n 1}", ""), (204, "", ""), (409, #"{"errorCode":4090001}"#, "another identifier"),
            (404, "", "on request"), (503, "<html>", "try again later"), (302, "x", "HTTP 302"),
        ]
    )
    func answer(status: Int, body: String, word: String) throws {
        let server = try FakeServer { _ in FakeServer.Reply(status, headers: ["Location": "/inApps/y"], body) }
        try ask(at: server.url)
        let outcome = try apple("POST", "/inApps/v1/x")
        #expect(outcome.text == body)
        #expect(outcome.status == (word.isEmpty ? 0 : 1))
        #expect(outcome.errors.isEmpty == word.isEmpty && (word.isEmpty || outcome.errors.contains(word)))
        #expect(server.requests.count == 1)
    }

    @Test(
        "What is no call of Apple's is bad usage, and Apple is not asked",
        arguments: [
            (["GET", "/v1/apps"], "/inApps/"), (["GET", "inApps/v1/x"], "/inApps/"),
            (["GET", "https://a/inApps/v1/x"], "/inApps/"), (["GET", "/inApps/../x"], "/inApps/"),
            (["GET", "/inApps/a b"], "percent-encoded"), (["GET", "/inApps/%zz"], "percent-encoded"),
            (["GET", "/inApps/x#y"], "percent-encoded"), (["get", "/inApps/v1/x"], "GET"),
            (["PATCH", "/inApps/v1/x"], "PUT"), (["GET"], "path"), (["GET", "/inApps/v1/x", "body"], "BODY-FILE"),
            (["--environment", "sandbox", "GET", "/inApps/v1/x"], "Sandbox"),
        ] as [([String], String)]
    )
    func badUsage(arguments: [String], words: String) throws {
        let server = try FakeServer { _ in FakeServer.Reply() }
        try ask(at: server.url)
        let options = ["apple", "--config", installation.configuration, "--bundle-id", Installation.bundleId]
        let outcome = try Executable.run(options + arguments)
        #expect(outcome.status == 64 && outcome.text.isEmpty)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test("What keeps a call from being made is named: app, issuer, the body's file, network, configuration")
    func notMade() throws {
        try ask(at: "http://127.0.0.1:1")
        try apple("GET", "/inApps/v1/x", app: "com.example.b").expect(1, "no app \"com.example.b\"")
        try apple("PUT", "/inApps/v1/x", installation.directory.path("none.json")).expect(1, "none.json cannot be read")
        try apple("GET", "/inApps/v1/x").expect(1, "cannot be reached")
        try installation.edit("catalog.yaml", " issuerId: \(RunningAppStore.issuerId),", "")
        try apple("GET", "/inApps/v1/x").expect(1, "issuerId")
        try installation.configure("catalog: none.yaml", anew: true)
        #expect(try apple("GET", "/inApps/v1/x").status == 78)
    }

    @Test(
        "The commands that set retention messages up before are bad usage, which names `apple` and the page with its calls",
        arguments: [["url", "set", "https://a"], ["messages"], ["defaults", "--help"], ["test", "start"]]
    )
    func moved(arguments: [String]) throws {
        let outcome = try Executable.run(["retention"] + arguments)
        #expect(outcome.status == 64 && outcome.text.isEmpty)
        #expect(outcome.errors.contains("`offer-signer apple`") && outcome.errors.contains("docs/retention.md"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }
}
