import ChildProcess
import FakeServer
import Foundation
import Testing

extension LoadTests {
    @Suite("The load generator, second by second")
    struct LoadSecondsTests {
        private struct Row {
            let phase: String
            let requests: Int
            let errors: Int
            let latencies: [String]
        }

        private let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        private func rows() throws -> [Row] {
            let text = try String(contentsOfFile: directory.path("run.csv"), encoding: .utf8)
            return try text.split(separator: "\r\n").dropFirst().map { line in
                let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                try #require(fields.count == 11)
                return Row(
                    phase: fields[1],
                    requests: try #require(Int(fields[2])),
                    errors: try #require(Int(fields[4])),
                    latencies: Array(fields[5...])
                )
            }
        }

        @Test(
            "The seconds that were measured add up to the result, whatever the warm-up and however late an answer is",
            arguments: [
                ["--duration", "1.2", "--warm-up", "0.7"],
                ["--duration", "1", "--warm-up", "0", "--rate", "20", "--connections", "1"],
                ["--duration", "1", "--warm-up", "0.1", "--rate", "50", "--connections", "4", "--event-loops", "4"],
            ]
        )
        func sums(arguments: [String]) throws {
            let server = try KnownServer.server { .init(200, KnownServer.signed, delay: $0 == 15 ? 1.5 : 0.01) }
            let report = try KnownServer.json(
                try KnownServer.load(server, arguments + ["--json", "--csv", directory.path("run.csv")])
            )
            let measured = try rows().filter { $0.phase == "measured" }
            #expect(!measured.isEmpty)
            #expect(measured.reduce(0) { $0 + $1.requests } == report["requests"] as? Int)
            let errors = try #require(report["errors"] as? [String: Int])
            #expect(measured.reduce(0) { $0 + $1.errors } == errors.values.reduce(0, +))
        }

        @Test("The measurement begins with a second of its own")
        func partOfASecond() throws {
            let server = try KnownServer.server { _ in .init(200, KnownServer.signed, delay: 0.01) }
            let arguments = ["--duration", "2", "--warm-up", "1.5", "--csv", directory.path("run.csv")]
            _ = try KnownServer.load(server, arguments)
            #expect(try rows().map(\.phase).prefix(4) == ["warm-up", "warm-up", "measured", "measured"])
        }

        @Test("A second in which nothing was answered has no latency, which would be the best of all")
        func nothingAnswered() throws {
            let server = try KnownServer.server { .init(200, KnownServer.signed, delay: $0 == 5 ? 2.2 : 0.01) }
            let arguments = [
                "--duration", "3", "--warm-up", "0", "--connections", "1", "--csv", directory.path("run.csv"),
            ]
            _ = try KnownServer.load(server, arguments)
            let silent = try rows().filter { $0.requests == 0 }
            #expect(!silent.isEmpty)
            #expect(silent.allSatisfy { $0.latencies.allSatisfy(\.isEmpty) })
            #expect(try rows().filter { $0.requests > 0 }.allSatisfy { $0.latencies.allSatisfy { !$0.isEmpty } })
        }

        @Test("A result that cannot be printed does not keep the seconds back")
        func fullDevice() throws {
            let server = try KnownServer.server { _ in .init(200, KnownServer.signed, delay: 0.01) }
            let load = "\"$0\" load --url \(server.url) --token t --warm-up 0 --duration 1 --csv \"$1\" > /dev/full"
            let outcome = try ChildProcess("/bin/sh", ["-c", load, Executable.lab, directory.path("run.csv")]).outcome()
            outcome.expect(1, "standard output cannot be written")
            #expect(try !rows().isEmpty)
        }
    }
}
