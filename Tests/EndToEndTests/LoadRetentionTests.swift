import ChildProcess
import Foundation
import Testing

@Suite("Load as Apple's retention calls put it on a service")
struct LoadRetentionTests {
    private static let quick = ["--duration", "1", "--warm-up", "0.2", "--connections", "2", "--json"]

    @Test("A service of its own is asked about known customers; every signature is right, and each answer written down")
    func ownService() throws {
        let installation = try Installation()
        let file = installation.directory.path("answers.jsonl")
        let outcome = try Executable.run(
            ["load", "--retention", "--self", "--config", installation.configuration, "--customers", "5"]
                + ["--rate", "20", "--verify-all", "--answers", file] + Self.quick,
            of: Executable.lab
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
        let requests = try #require(report["requests"] as? Int)
        #expect(requests > 0)
        #expect(report["signatures"] as? Int == requests)
        #expect((report["errors"] as? [String: Int])?.isEmpty == true, "\(report)")
        #expect((report["kinds"] as? [String: Any])?.keys.sorted() == ["retention"])
        let verification = try #require(report["verification"] as? [String: Any])
        #expect(verification["checked"] as? Int == requests)
        #expect(verification["wrong"] as? Int == 0)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let nonces = lines.flatMap { $0["offers"] as? [[String: String]] ?? [] }.compactMap { $0["nonce"] }
        #expect(nonces.count >= requests, "the warm-up's are there, too")
        #expect(Set(nonces).count == lines.count)
        #expect(Set(lines.compactMap { $0["originalTransactionId"] as? String }).count <= 5)
    }

    @Test(
        "Options that do not go with retention calls are bad usage",
        arguments: [
            ["--url", "http://127.0.0.1:1"], ["--url", "http://127.0.0.1:1", "--token", "t"],
            ["--self", "--mix", "receipt"], ["--self", "--customers", "new"], ["--self", "--offers", "2"],
            ["--self", "--duration", "300"], [],
        ]
    )
    func badUsage(arguments: [String]) throws {
        let outcome = try Executable.run(["load", "--retention"] + arguments, of: Executable.lab)
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(outcome.errors.contains("retention"), "\(outcome.errors)")
    }
}
