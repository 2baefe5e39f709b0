import ChildProcess
import FakeServer
import Foundation
import Testing

/// The load generator against servers whose behaviour is known.
extension LoadTests {
    @Suite("The load generator's figures and failures")
    struct LoadMeasurementTests {
        private func load(_ server: FakeServer, _ arguments: [String]) throws -> (
            outcome: ChildProcess.Outcome, [String: Any]
        ) {
            let outcome = try KnownServer.load(server, arguments + ["--json"])
            return (outcome, try KnownServer.json(outcome))
        }

        /// An answer that comes twice.
        private static let twice: FakeServer.Reply = {
            let (body, length) = (KnownServer.signed, "\(KnownServer.signed.utf8.count)")
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
            return .init(200, headers: ["Content-Length": length], body + head + body)
        }()

        @Test(
            "Failures are counted by what they are",
            arguments: [
                (.init(429, #"{"code":"too_many_signatures","status":429}"#), "429 too_many_signatures"),
                (.init(502, "<html>Bad Gateway</html>"), "502"), (.init(closes: true), "closed"),
                (.init(delay: 30), "timeout"), (.init(200, "hello"), "malformed answer: no decisions"),
                (
                    .init(200, KnownServer.eligible.replacing("active", with: "signature_limit")),
                    "not signed: signature_limit"
                ),
                // Two are asked for.
                (.init(200, KnownServer.signed), "not signed: too few decisions"),
                (.init(headers: ["Content-Length": "x"]), "malformed answer: no Content-Length"),
                // It is never taken for the answer to the next request.
                (twice, "malformed answer: more than was asked for"),
            ] as [(FakeServer.Reply, String)]
        )
        func failures(reply: FakeServer.Reply, name: String) throws {
            let directory = try TemporaryDirectory()
            let file = directory.path("answers.jsonl")
            let server = try KnownServer.server { _ in reply }
            let (outcome, report) = try load(
                server,
                ["--warm-up", "0", "--duration", "0.5", "--connections", "2", "--answers", file, "--timeout"]
                    // However slow the machine is, no other answer is late.
                    + [name == "timeout" ? "1.5" : "15", "--offers", name.hasSuffix("few decisions") ? "2" : "1"]
            )
            outcome.expect(1, "nothing was signed")
            #expect(report["requests"] as? Int == 0)
            let errors = try #require(report["errors"] as? [String: Int])
            #expect(Array(errors.keys) == [name])
            #expect((errors[name] ?? 0) > 0)
            #expect(report["measured"] == nil, "what nobody measured is no latency of 0 ms")
            let lines = try String(contentsOfFile: file, encoding: .utf8).jsonLines()
            // A request that was sent just after the end has a line, and is not counted.
            #expect(lines.count >= errors[name] ?? 0)
            #expect(lines.allSatisfy { $0["error"] as? String == name && $0["account"] is String })
        }

        @Test("A request that an open loop could not send is a failure: every request that was due is in the result")
        func everyRequestCounts() throws {
            let server = try KnownServer.server { _ in .init(delay: 30) }
            let (outcome, report) = try load(
                server,
                ["--rate", "20", "--warm-up", "0", "--duration", "1", "--timeout", "1.5", "--connections", "2"]
            )
            #expect(outcome.status == 1)
            let errors = try #require(report["errors"] as? [String: Int])
            #expect(errors == ["timeout": 2, "not sent: no connection was free": 18])
            // What nobody answered within 1.5 seconds has waited as long.
            let corrected = try #require(report["corrected"] as? [String: Double])
            #expect(try #require(corrected["max"]) >= 1500)
            let kinds = try #require(report["kinds"] as? [String: [String: Any]])
            #expect(kinds["receiptResponse"]?["requests"] as? Int == 0)
            #expect(
                kinds["receiptResponse"]?["latency"] as? [String: Double] == report["corrected"] as? [String: Double]
            )
        }

        @Test("A service that falls behind in the warm-up is measured after it all the same")
        func behindInWarmUp() throws {
            let server = try KnownServer.server { _ in .init(200, KnownServer.signed, delay: 0.1) }
            let (outcome, report) = try load(
                server,
                ["--rate", "100", "--warm-up", "1", "--duration", "1", "--connections", "1"]
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let requests = try #require(report["requests"] as? Int)
            #expect(requests > 0)
            #expect(report["errors"] as? [String: Int] == ["not sent: no connection was free": 100 - requests])
        }

        @Test("A pause of the service is in the open loop's percentiles, though one request alone saw it")
        func coordinatedOmission() throws {
            let server = try KnownServer.server { .init(200, KnownServer.signed, delay: $0 == 1 ? 1.5 : 0) }
            let (outcome, report) = try load(
                server,
                ["--rate", "50", "--warm-up", "0", "--duration", "2", "--connections", "1"]
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let measured = try #require(report["measured"] as? [String: Double])
            let corrected = try #require(report["corrected"] as? [String: Double])
            #expect(try #require(corrected["p50"]) > (try #require(measured["p50"])) * 5)
            #expect(try #require(corrected["p90"]) > (try #require(measured["p90"])) * 5)
        }

        @Test("A configuration at fault is reported by its own files, in check's words and with its exit status")
        func configuration() throws {
            let installation = try Installation()
            try installation.edit("catalog.yaml", "audience: [lapsed]", "audience: [rich]")
            let checked = try installation.check()
            let outcome = try Executable.run(
                ["load", "--self", "--config", installation.configuration],
                of: Executable.lab
            )
            #expect(outcome.status == 78)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("\(installation.directory.path("catalog.yaml")):"), "\(outcome.errors)")
            #expect(outcome.errors == checked.errors)
        }

        @Test("A server that is no Offer Signer is reported as none", arguments: [#"{"hello":1}"#, "hello", ""])
        func noService(body: String) throws {
            let server = try FakeServer { _ in .init(200, body) }
            let outcome = try Executable.run(["load", "--url", server.url, "--token", "t"], of: Executable.lab)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix("error: "))
        }

        @Test("One late answer is reported by itself, and does not make the service's throughput smaller")
        func lateAnswer() throws {
            let server = try KnownServer.server { .init(200, KnownServer.signed, delay: $0 == 30 ? 4 : 0) }
            let arguments = ["--rate", "40", "--warm-up", "0", "--duration", "1", "--connections", "40"]
            // Both wait at once.
            let other = try KnownServer.server { .init(200, KnownServer.signed, delay: $0 == 30 ? 4 : 0) }
            let process = try KnownServer.start(other, arguments)
            let report = try KnownServer.json(try KnownServer.load(server, arguments + ["--json"]))
            #expect(report["requests"] as? Int == 40)
            #expect(report["requestsPerSecond"] as? Double == 40)
            #expect(report["seconds"] as? Double == 1)
            #expect(try #require(report["tailSeconds"] as? Double) > 2)
            #expect(try process.outcome().text.contains(#/the last answer came [3-9]\.\d s after sending/#))
        }

        @Test("A generator that was stopped says that it was late itself")
        func stopped() throws {
            let server = try KnownServer.server { _ in .init(200, KnownServer.signed) }
            let arguments = ["--rate", "50", "--warm-up", "0", "--duration", "3", "--json"]
            let process = try KnownServer.start(server, arguments)
            waitUntil(seconds: 60) { process.hasEnded || server.requests.count >= 20 }
            process.send(SIGSTOP)
            usleep(1_500_000)
            process.send(SIGCONT)
            let report = try KnownServer.json(try process.outcome())
            let lateness = try #require(report["generatorLateness"] as? [String: Double])
            #expect(try #require(lateness["max"]) > 1000)
            #expect(try #require(report["generatorShare"] as? Double) > 0)
        }
    }
}
