import ChildProcess
import Foundation
import Testing

/// Secrets are put wherever somebody could put them, and nothing that comes out repeats them.
@Suite("No secret comes out")
struct SecretLeakTests {
    private static let password = "Passw0rd-of-the-database-7b1c"
    private static let strangeToken = "qT3vX9sLw2RkZp8YbN5cJ7dGf1HhM4aEuIoSxVtWyQz"
    private static let issuedToken = "os_w2RkZp8YbN5cJ7dGf1HhM4aEuIoSxVtWyQzqT3vX9sL"
    private static let sharedSecret = "7b1c0d9e5f3a48b2a6c4e8f017d2953c"

    private let installation: Installation
    private let secrets: Secrets
    private let pem: String

    init() throws {
        installation = try Installation(token: Self.clientToken)
        pem = try String(contentsOfFile: installation.key, encoding: .utf8)
        secrets = try Secrets(
            of: installation,
            and: [Self.password, Self.strangeToken, Self.clientToken, Self.issuedToken, Self.sharedSecret]
        )
    }

    /// Made as `clients token` makes them.
    private static let clientToken = "Zk3Qw7-hT0pR9vX2sLmN8bYcJ5dGf1HuM4aE_IoSxVt"

    private var body64: String { pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined() }

    private typealias Mistake = (file: String, old: String, new: String)

    /// The parts of a configuration in which something is wrong, with a secret in the wrong place.
    private var mistakes: [Mistake] {
        let block = pem.split(separator: "\n").map { "          " + $0 }.joined(separator: "\n")
        let oneLine = pem.replacing("\n", with: "\\n")
        let key = "{ id: TESTKEY001, file: SubscriptionKey_TESTKEY001.p8 }"
        return [
            ("catalog.yaml", key, "{ id: TESTKEY001, file: \"\(oneLine)\" }"),
            ("catalog.yaml", key, "{ id: TESTKEY001, file: \(body64) }"),
            ("catalog.yaml", key, "{ id: TESTKEY001, file: \"credential:\(body64)\" }"),
            ("catalog.yaml", key, "{ id: \(body64), file: SubscriptionKey_TESTKEY001.p8 }"),
            ("catalog.yaml", key, "{ id: TESTKEY001, file: SubscriptionKey_TESTKEY001.p8, issuerId: \(body64) }"),
            ("catalog.yaml", key, "{ id: TESTKEY001, file: SubscriptionKey_TESTKEY001.p8, publicKeyFile: \(body64) }"),
            (
                "catalog.yaml", key,
                "{ id: TESTKEY001, file: SubscriptionKey_TESTKEY001.p8, "
                    + "publicKeyFile: SubscriptionKey_TESTKEY001.p8 }"
            ),
            ("catalog.yaml", "keys: [\(key)]", "keys:\n      - id: TESTKEY001\n        file: |\n\(block)"),
            ("catalog.yaml", "keys: [\(key)]", "keys:\n      - id: TESTKEY001\n        file:\n\(block)"),
            ("catalog.yaml", "keys: [\(key)]", "keys: [\(key), \(body64)]"),
            ("catalog.yaml", "bundleId:", "\(body64): 1\n    bundleId:"),
            ("catalog.yaml", "bundleId: \(Installation.bundleId)", "bundleId: \(body64)"),
            ("catalog.yaml", "bundleId:", "sharedSecretFile: \(Self.strangeToken)\n    bundleId:"),
            ("catalog.yaml", "apps:", "\(pem)\napps:"),
            ("clients.yaml", "tokenSHA256: ", "token: \(Self.clientToken), tokenSHA256: "),
            ("clients.yaml", "name: backend", "name: backend, tokenSHA256: \(Self.clientToken)"),
            ("clients.yaml", "name: backend", "name: \(Self.clientToken)"),
            ("clients.yaml", "[\(Installation.bundleId)]", "[\(Self.clientToken)]"),
            ("clients.yaml", "name: backend", "\(Self.clientToken): backend"),
            ("clients.yaml", "clients:", "\(Self.clientToken)\nclients:"),
            ("offer-signer.yaml", "catalog:", "ledger: { url: \"postgres://u:\(Self.password)@h/d\" }\ncatalog:"),
            ("offer-signer.yaml", "catalog:", "ledger: { url: \"sqlite\(Self.strangeToken)\" }\ncatalog:"),
            ("offer-signer.yaml", "catalog:", "ledger: { digestKeyFile: \(Self.strangeToken) }\ncatalog:"),
            ("offer-signer.yaml", "catalog:", "appStore: { serverAPIURL: \"https://u:\(Self.password)@h\" }\ncatalog:"),
            ("offer-signer.yaml", "server:", "\(Self.strangeToken): 1\nserver:"),
        ]
    }

    /// Secrets in the place of a name that a hint lists, or that is near to one, and of values that are no names.
    private var names: [Mistake] {
        [Self.issuedToken, Self.sharedSecret, body64].flatMap { (secret) -> [Mistake] in
            let app = [
                "environments: [\(secret)]", "customerSeparator: \(secret)", "requireAccount: \(secret)",
                "issuerId: \(secret)", "!\(secret) receipts: serverAPI",
            ]
            let main = [
                "admin: { hosts: [\"\(secret):1\"] }", "log: { level: \(secret) }",
                "appStore: { serverAPIURL: \"https://h/?\(secret)\" }",
            ]
            return app.map { ("catalog.yaml", "bundleId:", "\($0)\n    bundleId:") }
                + main.map { ("offer-signer.yaml", "server:", "\($0)\nserver:") } + [
                    ("catalog.yaml", "bundleId: \(Installation.bundleId)", "bundleId: \(secret)"),
                    ("clients.yaml", "[\(Installation.bundleId)]", "[\(secret)]"),
                    ("clients.yaml", "name: backend", "name: backend, scopes: [\(secret)]"),
                ]
        }
    }

    private func text(_ outcome: ChildProcess.Outcome) -> String { outcome.text + outcome.errors }

    @Test("Mistakes in the files: neither check nor a reload repeats the secret, on any stream or in /readyz")
    func configuration() throws {
        let service = try RunningService(installation, flags: ["--log-level", "trace"])
        for (file, old, new) in mistakes + names {
            let path = installation.directory.path(file)
            let good = try String(contentsOfFile: path, encoding: .utf8)
            try #require(good.contains(old))
            try installation.directory.write(file, good.replacing(old, with: new, maxReplacements: 1))
            let outcome = try Executable.run(["check", "--config", installation.configuration])
            #expect(secrets.pieces(in: text(outcome)).isEmpty, "\(file) with \(new): \(text(outcome))")
            try service.reload()
            for path in ["/readyz", "/metrics", "/overview.json"] {
                let body = try Connection(to: service.admin).request("GET", path).body
                #expect(secrets.pieces(in: String(decoding: body, as: UTF8.self)).isEmpty, "\(file) with \(new)")
            }
            try installation.directory.write(file, good)
        }
        service.stop()
        #expect(service.log.contains("reload refused"))
        #expect(secrets.pieces(in: service.log + service.output).isEmpty)
    }

    @Test("Mistakes on the command line and in the environment")
    func commandLine() throws {
        let url = "postgres://u:\(Self.password)@h/d"
        let config = ["--config", installation.configuration]
        // What a careless shell puts where a file's name belongs.
        let line = String(pem.split(separator: "\n")[2])
        let report = installation.directory.path("report.json")
        try installation.directory.write("report.json", #"{"\#(Self.issuedToken)":1}"#)
        var runs: [([String], [String: String])] = []
        for secret in [Self.issuedToken, Self.sharedSecret, Self.strangeToken, line] {
            let named = ["--bundle-id", secret, "--product-id", "p"]
            let commands: [[String]] = [
                ["sign"] + config + named + ["--offer-id", "o"], ["check"] + config + [secret],
                ["retention", "try"] + config + named + ["--transaction-id", "1"], [secret],
                ["apple"] + config + named.prefix(2) + ["GET", "/inApps/v1/x"], ["apple"] + config + ["GET", secret],
                ["apple"] + config + ["--bundle-id", Installation.bundleId, "PUT", "/inApps/v1/x", secret],
                ["check"] + config + ["--\(secret)"], ["check"] + config + ["--log-level", secret],
                ["check"] + config + ["--server-port=\(secret)"],
            ]
            for arguments in commands { runs.append((arguments, [:])) }
        }
        runs += [
            (["diagnose"] + config + [report], [:]),
            (["check"] + config + ["--ledger-url", url], [:]),
            (["check"] + config, ["OFFER_SIGNER_LEDGER_URL": url]),
            (["check"] + config, ["OFFER_SIGNER_TOKEN": Self.clientToken, "OFFER_SIGNER_KEY": pem]),
            (["check"] + config, ["OFFER_SIGNER_SERVER_PORT": Self.clientToken]),
            (["check"] + config, ["OFFER_SIGNER_KEYS_GROUP_READABLE": Self.clientToken]),
            (["check"] + config, ["OFFER_SIGNER_CATALOG": pem]),
            (["check"] + config, ["OFFER_SIGNER_SERVER_HOST": body64]),
            (["check"] + config + ["--app-store-server-api-url", "https://u:\(Self.password)@h"], [:]),
            (["check"] + config + ["--catalog", pem], [:]),
            (["check"] + config + ["--server-host", body64], [:]),
            (["serve"] + config + ["--server-port", body64], [:]),
            (["keys", "inspect", installation.key], [:]),
            (["keys", "inspect", pem], [:]), (["keys", "inspect", line], [:]), (["check", "--config", line], [:]),
            (["keys", "inspect", "/etc/" + line], [:]), (["diagnose"] + config + [line], [:]),
            (["--help"], ["OFFER_SIGNER_LEDGER_URL": url]), (["serve", "--help"], ["OFFER_SIGNER_LEDGER_URL": url]),
        ]
        for (arguments, environment) in runs {
            let outcome = try Executable.run(arguments, environment: environment)
            #expect(secrets.pieces(in: text(outcome)).isEmpty, "\(arguments) \(environment): \(text(outcome))")
        }
    }

    @Test("Requests: tokens and keys in every part of them, right and wrong", arguments: ["json", "text"])
    func requests(logFormat: String) throws {
        let service = try RunningService(installation, flags: ["--log-level", "trace", "--log-format", logFormat])
        // An answer goes to the one who asked, and may repeat what its body said; never the header, and never a key.
        func ask(_ method: String, _ path: String, _ token: String, _ body: String) throws {
            let headers = [
                "Authorization: Bearer \(token)", "Content-Type: application/json", "X-Token: \(token)",
                "X-Request-ID: \(token)", "traceparent: \(token)",
            ]
            for address in [service.server, service.admin] {
                let response = try Connection(to: address).request(method, path, headers: headers, body: body)
                let answer = "\(response.headers)" + String(decoding: response.body, as: UTF8.self)
                let pieces = secrets.pieces(in: answer).filter { !body.contains($0) || pem.contains($0) }
                #expect(pieces.isEmpty, "\(method) \(path) \(body): \(answer)")
            }
        }
        let pasted = pem.replacing("\n", with: "\\n")
        for (token, other) in [(Self.clientToken, Self.strangeToken), (Self.strangeToken, Self.clientToken)] {
            for body in [
                "{}", other, #"{"token":"\#(other)"}"#, #"{"\#(other)":1}"#, #"{"bundleId":"\#(other)"}"#,
                #"{"key":"\#(pasted)"}"#, #"{"offers":"\#(pasted)"}"#,
                #"{"applicationUsername":"\#(other)","offers":[]}"#,
                #"{"evidence":{"receipt":"\#(body64)"},"offers":[{"productId":"p","offerId":"o"}]}"#,
                #"{"evidence":{"receiptResponse":{"status":0,"password":"\#(other)"}},"offers":[]}"#,
            ] { try ask("POST", "/v1/signatures", token, body) }
            try ask("POST", "/v1/signatures?token=\(token)", token, "{}")
            try ask("GET", "/v1/signatures?access_token=\(token)", token, "")
            try ask("GET", "/\(token)", token, "")
            try ask("GET", "/readyz?token=\(token)", token, "")
        }
        let metrics = try Connection(to: service.admin).request("GET", "/metrics").body
        #expect(secrets.pieces(in: String(decoding: metrics, as: UTF8.self)).isEmpty)
        // What is not even HTTP.
        let connection = try Connection(to: service.server)
        try connection.send("\(Self.clientToken) \(Self.strangeToken)\r\n\(body64)\r\n\r\n")
        service.stop()
        #expect(secrets.pieces(in: service.log + service.output).isEmpty, "\(service.log)")
    }

    @Test("A service that works: nothing in its logs, its environment, its command line or its files of /proc")
    func process() throws {
        let service = try RunningService(installation, flags: ["--log-level", "trace"])
        let load = Load(on: service, connections: 2, requests: 50, token: Self.clientToken)
        #expect(load.finish().allSatisfy { $0.status == 200 })
        for file in ["environ", "cmdline", "status", "limits", "comm", "maps", "stat"] {
            let outcome = try Executable.run(["/proc/\(service.identifier)/\(file)"], of: "/bin/cat")
            #expect(outcome.status == 0)
            #expect(secrets.pieces(in: outcome.text).isEmpty, "\(file)")
        }
        for path in ["/livez", "/readyz", "/metrics", "/version"] {
            let body = try Connection(to: service.admin).request("GET", path).body
            #expect(secrets.pieces(in: String(decoding: body, as: UTF8.self)).isEmpty)
        }
        service.stop()
        #expect(secrets.pieces(in: service.log + service.output).isEmpty)
        // Nothing is written beside the configuration either, nor into the ledger.
        let files = try FileManager.default.contentsOfDirectory(atPath: installation.directory.url.path)
        for file in files where file != "SubscriptionKey_TESTKEY001.p8" {
            let bytes = try Data(contentsOf: installation.directory.url.appending(path: file))
            #expect(secrets.pieces(in: String(decoding: bytes, as: UTF8.self)).isEmpty, "\(file)")
        }
    }
}
