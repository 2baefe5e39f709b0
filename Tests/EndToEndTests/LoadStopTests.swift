import ChildProcess
import FakeServer
import Foundation
import Testing

extension LoadTests {
    @Suite("Stopping the load generator")
    struct LoadStopTests {
        /// Starts the load generator, and waits until something has happened.
        private func start(
            _ arguments: [String],
            environment: [String: String] = [:],
            until hasHappened: () throws -> Bool
        ) throws -> ChildProcess {
            let process = try ChildProcess(Executable.lab, ["load"] + arguments, environment: environment)
            for _ in 0..<6000 where try !process.hasEnded && !hasHappened() { usleep(10_000) }
            return process
        }

        @Test("Ctrl-C and SIGTERM end the preparation of the measurement", arguments: [SIGINT, SIGTERM])
        func preparation(signal: Int32) throws {
            let server = try FakeServer { _ in .init(200, KnownServer.eligible, delay: 20) }
            let process = try start(["--url", server.url, "--token", "t"]) { !server.requests.isEmpty }
            process.send(signal)
            let outcome = try process.outcome()
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors == "error: stopped before anything was measured\n")
        }

        @Test("A terminal that goes ends the run as Ctrl-C does, and nothing that it started stays behind")
        func hangUp() throws {
            let installation = try Installation()
            let scratch = try TemporaryDirectory()
            func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) }
            let process = try start(
                ["--self", "--config", installation.configuration, "--duration", "600", "--json"],
                environment: ["TMPDIR": scratch.url.path]
            ) {
                // The directory of both, and what each of them prints.
                try files().count == 5
            }
            process.send(SIGHUP)
            #expect(try process.outcome().status <= 1)
            #expect(try files().isEmpty)
        }

        @Test("Under nohup, the run goes on when the terminal goes")
        func nohup() throws {
            let server = try KnownServer.server { _ in .init(200, KnownServer.signed, delay: 0.01) }
            let load = "trap '' HUP; exec \"$0\" load --url \(server.url) --token t --warm-up 0 --duration 1 --json"
            let process = try ChildProcess("/bin/sh", ["-c", load, Executable.lab])
            for _ in 0..<6000 where !process.hasEnded && server.requests.count < 5 { usleep(10_000) }
            process.send(SIGHUP)
            #expect(try KnownServer.report(try process.outcome())["seconds"] as? Double == 1)
        }

        @Test("Ctrl-C ends the measurement early, with its result")
        func early() throws {
            let server = try KnownServer.server { _ in .init(200, KnownServer.signed, delay: 0.01) }
            let arguments = ["--url", server.url, "--token", "t", "--duration", "600", "--warm-up", "0", "--json"]
            let process = try start(arguments) { server.requests.count > 10 }
            process.send(SIGINT)
            let report = try KnownServer.report(try process.outcome())
            #expect((report["requests"] as? Int ?? 0) > 0)
            #expect((report["seconds"] as? Double ?? 600) < 300)
        }

        @Test("A warm-up that is stopped is reported with its real length, not the planned one")
        func warmUp() throws {
            let server = try KnownServer.server { _ in .init(200, KnownServer.signed, delay: 0.01) }
            let process = try start(["--url", server.url, "--token", "t", "--warm-up", "600"]) {
                server.requests.count > 10
            }
            process.send(SIGINT)
            let outcome = try process.outcome()
            #expect(outcome.status == 1)
            #expect(outcome.text.contains(" 0.0 s after "), "\(outcome.text)")
            #expect(!outcome.text.contains("600.0 s of warm-up"), "\(outcome.text)")
            #expect(outcome.errors == "error: stopped in the warm-up, before anything was measured\n")
        }

        @Test("A connection that opens as the run ends, and Ctrl-C after it, change nothing")
        func late() throws {
            let server = try KnownServer.server { _ in .init(200, headers: ["Connection": "close"], KnownServer.signed)
            }
            let directory = try TemporaryDirectory()
            let slowNames = try SharedObject.build(SharedObject.lateNames, named: "late.so", in: directory)
            // While nobody reads it, the process stays, and what comes late comes to it.
            let csv = directory.path("run.csv")
            try #require(mkfifo(csv, 0o600) == 0)
            let process = try ChildProcess(
                Executable.lab,
                [
                    "load", "--url", "http://localhost:\(server.port)", "--token", "t", "--warm-up", "0", "--duration",
                    "0.5",
                ]
                    + ["--connections", "4", "--csv", csv],
                environment: ["LD_PRELOAD": slowNames]
            )
            usleep(4_000_000)
            process.send(SIGINT)
            usleep(200_000)
            let written = try FileHandle(forReadingFrom: URL(filePath: csv)).readToEnd()
            let outcome = try process.outcome()
            #expect(outcome.status == 0)
            #expect(outcome.errors == "")
            #expect(written?.isEmpty == false)
        }

        @Test("Questions before the measurement wait no longer than answers may take")
        func timeout() throws {
            let server = try FakeServer { _ in .init(200, KnownServer.eligible, delay: 20) }
            let outcome = try KnownServer.load(server, ["--timeout", "0.5"])
            outcome.expect(1, "/v1/eligibility: there was no answer within 0.5 seconds")
        }

        @Test("A second stop does not wait for answers, and names those that are missing")
        func unanswered() throws {
            let server = try KnownServer.server { .init(200, KnownServer.signed, delay: $0 > 10 ? 20 : 0.01) }
            let arguments = ["--warm-up", "0", "--duration", "600", "--connections", "2", "--timeout", "600", "--json"]
            // The questions and twelve requests, the last two of which wait.
            let process = try start(["--url", server.url, "--token", "t"] + arguments) {
                server.requests.count { $0.path == "/v1/signatures" } == 12
            }
            process.send(SIGINT)
            // Two at once would be one.
            process.send(SIGTERM)
            let report = try KnownServer.json(try process.outcome())
            #expect(report["requests"] as? Int == 10)
            #expect(report["errors"] as? [String: Int] == ["unanswered: the run was ended": 2])
        }
    }
}
