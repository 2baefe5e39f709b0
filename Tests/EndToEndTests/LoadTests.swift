import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

@Suite("The load generator", .serialized, .sharing(PlainScene.self))
struct LoadTests {
    private static let quick = ["--duration", "1", "--warm-up", "0.2", "--json"]

    private func load(_ service: RunningService, _ arguments: [String]) throws -> ChildProcess.Outcome {
        let target = ["--url", "http://127.0.0.1:\(service.server.port)", "--token", Installation.token]
        return try Executable.run(["load"] + target + arguments, of: Executable.lab)
    }

    /// Puts load on a service of its own.
    private func loadOwn(_ installation: Installation, _ arguments: [String]) throws -> ChildProcess.Outcome {
        let own = ["load", "--self", "--config", installation.configuration]
        return try Executable.run(own + arguments + Self.quick, of: Executable.lab)
    }

    /// How many signatures were checked, and found wrong.
    private func verified(_ report: [String: Any]) throws -> (checked: Int?, wrong: Int?) {
        let verification = try #require(report["verification"] as? [String: Any])
        return (verification["checked"] as? Int, verification["wrong"] as? Int)
    }

    @Test("With URL and token alone it finds the offers, and every signature is counted and right")
    func closedLoop() throws {
        let service = try PlainScene.running().service
        let outcome = try load(
            service,
            Self.quick + ["--offers", "3", "--connections", "4", "--verify-all"]
                + ["--verify-key", service.installation.publicKey]
        )
        #expect(outcome.errors.isEmpty)
        let report = try KnownServer.report(outcome)
        let requests = try #require(report["requests"] as? Int)
        #expect(requests > 10)
        #expect(report["signatures"] as? Int == requests * 3)
        #expect((report["errors"] as? [String: Int])?.isEmpty == true)
        #expect(report["loop"] as? String == "closed")
        #expect(try verified(report) == (requests * 3, 0))
        for name in ["measured", "corrected"] {
            let latency = try #require(report[name] as? [String: Double])
            let columns = try ["p50", "p90", "p99", "p99.9", "max"].map { try #require(latency[$0]) }
            #expect(columns == columns.sorted())
            #expect(columns[0] > 0)
        }
    }

    @Test("An open loop sends as many requests as were due, and says how late the service was")
    func openLoop() throws {
        let service = try PlainScene.running().service
        let file = service.installation.directory.path("run.csv")
        // A connection for each request, as a slow machine must not leave one unsent.
        let outcome = try load(
            service,
            ["--rate", "50", "--duration", "2", "--warm-up", "1", "--connections", "100", "--csv", file, "--pid"]
                + ["\(service.identifier)"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains(#/requests +100 /#), "\(outcome.text)")
        for words in ["open loop", "corrected", "p99.9", "signatures not checked", "µs of CPU per signature"] {
            #expect(outcome.text.contains(words), "\(words) is missing in \(outcome.text)")
        }
        let rows = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\r\n")
        // The last answer may come after the end.
        #expect(rows.count >= 4)
        let head = try #require(rows.first).split(separator: ",")
        #expect(rows.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == head.count })
        #expect(rows[1...3].map { $0.split(separator: ",")[1] } == ["warm-up", "measured", "measured"])
    }

    @Test(
        "Each answer is written down, and what was signed is what the ledger has; repeated requests are of one customer"
    )
    func answers() throws {
        let service = try RunningService()
        let file = service.installation.directory.path("answers.jsonl")
        let options = ["--customers", "new", "--repeat", "3", "--connections", "3", "--answers", file]
        try load(service, Self.quick + options).expect(0)
        let lines = try String(contentsOfFile: file, encoding: .utf8).jsonLines()
        #expect(lines.allSatisfy { $0["status"] as? Int == 200 && $0["error"] == nil && $0["milliseconds"] is Int })
        let nonces = lines.flatMap { $0["offers"] as? [[String: String]] ?? [] }.compactMap { $0["nonce"] }
        #expect(nonces.count == lines.count)
        let recorded = try service.installation.records().map { $0["nonce"] as? String }
        #expect(Set(nonces) == Set(recorded.compactMap(\.self)))
        #expect(recorded.count == nonces.count)
        // The last customer's may be cut short by the end.
        let counts = Dictionary(grouping: lines) { $0["account"] as? String ?? "" }.values.map(\.count)
        #expect(counts.count { $0 == 3 } >= counts.count - 1)
        #expect(counts.allSatisfy { $0 <= 3 })
    }

    @Test("It starts a service and an App Store of its own, asks by every kind of evidence, and leaves nothing behind")
    func ownService() throws {
        let installation = try Installation()
        let scratch = try TemporaryDirectory()
        let before = try FileManager.default.contentsOfDirectory(atPath: installation.directory.url.path)
        let outcome = try ChildProcess(
            Executable.lab,
            ["load", "--self", "--config", installation.configuration, "--customers", "6", "--verify-all", "--mix"]
                + ["receiptResponse=2,receipt,signedTransactions,transactionId,held"]
                // However slow a service is, it has room for four.
                + ["--connections", "4"] + Self.quick,
            environment: ["TMPDIR": scratch.url.path, "OFFER_SIGNER_SERVER_PORT": "1"]
        ).outcome()
        let report = try KnownServer.report(outcome)
        let kinds = try #require(report["kinds"] as? [String: [String: Any]])
        #expect(kinds.keys.sorted() == ["held", "receipt", "receiptResponse", "signedTransactions", "transactionId"])
        #expect(kinds.values.allSatisfy { ($0["requests"] as? Int ?? 0) > 0 })
        #expect((report["errors"] as? [String: Int])?.isEmpty == true)
        #expect((report["serviceMicrosecondsPerSignature"] as? Double ?? 0) > 0)
        let (checked, wrong) = try verified(report)
        #expect(wrong == 0 && checked ?? 0 > 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: installation.directory.url.path) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty)
        let url = try #require(report["url"] as? String)
        let port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
        #expect(throws: Failure.self) { try Connection(to: Connection.Address(port: port)) }
    }

    @Test("With PostgreSQL, by signed transactions of ever new customers, and by one's for ever more accounts")
    func postgreSQL() throws {
        let installation = try Installation()
        let server = try PostgreSQLServer()
        for (customers, isSigned) in [("new", true), ("shared", false)] {
            let ledger = server.url(of: try server.makeDatabase())
            let options = ["--mix", "signedTransactions", "--customers", customers, "--ledger", ledger]
            let report = try KnownServer.report(try loadOwn(installation, options + ["--connections", "4"]))
            #expect((report["requests"] as? Int ?? 0) > 3)
            #expect(((report["signatures"] as? Int ?? 0) > 3) == isSigned)
            #expect(report["errors"] as? [String: Int] == [:])
        }
    }

    @Test("The public key may come from a pipe, or standard input")
    func keyFromPipe() throws {
        let service = try PlainScene.running().service
        let command = "\"$0\" load --url http://127.0.0.1:\(service.server.port) --token \(Installation.token)"
        // All of them at once.
        let processes = try ["<(cat \"$1\")", "/dev/stdin", "-"].map { source in
            try ChildProcess(
                "/bin/bash",
                ["-c", "\(command) \(Self.quick.joined(separator: " ")) --connections 2 --verify-key \(source)"]
                    + [Executable.lab, service.installation.publicKey],
                input: try Data(contentsOf: URL(filePath: service.installation.publicKey))
            )
        }
        for process in processes {
            let (checked, wrong) = try verified(try KnownServer.report(try process.outcome()))
            #expect(wrong == 0 && checked ?? 0 > 0)
        }
    }

    @Test("A service of its own is checked with the key that is named; signatures by another are wrong, and it says so")
    func wrongKeyOfItsOwn() throws {
        let (installation, other) = (try Installation(), try Installation())
        let outcome = try loadOwn(installation, ["--customers", "6", "--verify-key", other.publicKey])
        outcome.expect(1, "wrong signatures")
        let (checked, wrong) = try verified(try KnownServer.json(outcome))
        #expect(wrong == checked && checked ?? 0 > 0)
    }

    @Test(
        "With --retention, its own service is asked about known customers; every signature is right, and each answer written down"
    )
    func retention() throws {
        let installation = try Installation()
        let file = installation.directory.path("answers.jsonl")
        let options = ["--customers", "5", "--rate", "20", "--answers", file, "--connections", "20"]
        let report = try KnownServer.report(try loadOwn(installation, ["--retention", "--verify-all"] + options))
        let requests = try #require(report["requests"] as? Int)
        #expect(requests > 0)
        #expect(report["signatures"] as? Int == requests)
        #expect((report["errors"] as? [String: Int])?.isEmpty == true, "\(report)")
        #expect((report["kinds"] as? [String: Any])?.keys.sorted() == ["retention"])
        #expect(try verified(report) == (requests, 0))
        let lines = try String(contentsOfFile: file, encoding: .utf8).jsonLines()
        let nonces = lines.flatMap { $0["offers"] as? [[String: String]] ?? [] }.compactMap { $0["nonce"] }
        #expect(nonces.count >= requests, "the warm-up's are there, too")
        #expect(Set(nonces).count == lines.count)
        #expect(Set(lines.compactMap { $0["originalTransactionId"] as? String }).count <= 5)
    }

    @Test("Faults are counted by status and code; nothing signed is exit 1")
    func faults() throws {
        let service = try PlainScene.running().service
        let refused = try Executable.run(
            ["load", "--url", "http://127.0.0.1:\(service.server.port)", "--token", "wrong"] + Self.quick,
            of: Executable.lab
        )
        refused.expect(1, "401")
        #expect(!refused.errors.contains("wrong"))
        let unknown = try load(service, Self.quick + ["--offer-id", "nope"])
        unknown.expect(1, "pro.monthly comeback50")
        let nobody = ["load", "--url", "http://127.0.0.1:1", "--token", Installation.token]
        let gone = try Executable.run(nobody + Self.quick, of: Executable.lab)
        gone.expect(1, "Connection refused")
    }

    @Test(
        "Bad usage is exit 64, with a word that helps",
        arguments: [
            ([], "--self"), (["--url", "http://127.0.0.1:1"], "--token"), (["--token", "t"], "--url"),
            (["--url", "nonsense", "--token", "t"], "http://127.0.0.1:8080"),
            (["--url", "https://127.0.0.1", "--token", "t"], "plain http"),
            (["--url", "http://example.com", "--token", "t"], "--allow-remote"),
            (["--url", "http://127.0.0.1:1", "--token", "a b"], "--token"),
            (["--url", "http://127.0.0.1:0", "--token", "t"], "a port is a number from 1"),
            (["--url", "http://127.0.0.1: 80", "--token", "t"], "this is no URL"),
            (["--self", "--token", "t"], "leave --token out"), (["--self", "--connections", "0"], "--connections"),
            (["--self", "--rate", "0"], "--rate"), (["--self", "--duration", "-1"], "--duration"),
            (["--self", "--duration", "nan"], "--duration"), (["--self", "--offers", "101"], "--offers"),
            (["--self", "--mix", "paper=1"], "paper"), (["--self", "--event-loops", "17"], "--event-loops"),
            (["--self", "--simulator", "http://example.com"], "--simulator"),
            (["--self", "--simulator", "http://127.0.0.1:1"], "leave --simulator out"),
            (["--url", "http://127.0.0.1:1", "--token", "t", "--config", "offer-signer.yaml"], "--self starts"),
            (["--url", "http://127.0.0.1:1", "--token", "t", "--service", "offer-signer"], "--self starts"),
            (["--url", "http://127.0.0.1:1", "--token", "t", "--mix", "held,receipt"], "give --simulator"),
            (["--url", "http://127.0.0.1:1", "--token", "t", "--mix", "signedTransactions"], "--simulator-directory"),
            (
                ["--url", "http://127.0.0.1:1", "--token", "t", "--simulator-directory", "/none"],
                "--simulator-directory"
            ),
            (["--url", "http://127.0.0.1:1", "--token", "t", "--ledger", "sqlite:l"], "--self starts"),
            (["--self", "--customers", "0"], "new or shared"), (["--self", "--customers", "all"], "new or shared"),
            (["--self", "--customers", "shared", "--mix", "receipt"], "shared is for"),
            (["--self", "--customers", "new", "--mix", "held"], "nothing is held"),
            (["--url", "http://127.0.0.1:1", "--token", "t", "--verify-key", "/nonexistent"], "--verify-key"),
            (["--self", "--verify-key", "/nonexistent"], "--verify-key"),
            (["--url", "http://127.0.0.1:1", "--token", "t", "--verify-all"], "give --verify-key"),
            (["--url", "http://127.0.0.1:1", "--token", "t", "--pid", "2147483647"], "no process 2147483647"),
            (["--self", "--csv", "/nonexistent/run.csv"], "run.csv cannot be written: No such file"),
            (["--self", "--answers", "/nonexistent/run.jsonl"], "run.jsonl cannot be written: No such file"),
            (["--self", "--repeat", "0"], "--repeat"), (["--self", "--retention", "--repeat", "2"], "--repeat"),
            (["--retention"], "--retention"),
            (["--retention", "--url", "http://127.0.0.1:1"], "--simulator-directory"),
            (["--retention", "--url", "http://127.0.0.1:1", "--token", "t"], "no --token"),
            (["--retention", "--self", "--mix", "receipt"], "leave --mix"),
            (["--retention", "--self", "--customers", "new"], "with --retention"),
            (["--retention", "--self", "--offers", "2"], "one offer"),
            (["--retention", "--self", "--duration", "300"], "240 seconds"),
            (["--self", "--csv", "/"], "--csv: / cannot be written: Is a directory"),
        ] as [([String], String)]
    )
    func usage(arguments: [String], word: String) throws {
        let outcome = try Executable.run(["load"] + arguments, of: Executable.lab)
        outcome.expect(64, word)
        #expect(outcome.output.isEmpty)
    }
}
