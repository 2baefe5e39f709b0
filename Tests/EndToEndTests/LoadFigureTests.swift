import ChildProcess
import FakeServer
import Foundation
import Testing

/// The load generator against servers whose behaviour is known.
@Suite("The load generator's figures")
struct LoadFigureTests {
    @Test("One late answer is reported by itself, and does not make the service's throughput smaller")
    func lateAnswer() throws {
        let server = try KnownServer.server { .init(200, KnownServer.signed, delay: $0 == 30 ? 4 : 0) }
        let arguments = ["--rate", "40", "--warm-up", "0", "--duration", "1", "--connections", "8"]
        let report = try KnownServer.json(try KnownServer.load(server, arguments + ["--json"]))
        #expect(report["requests"] as? Int == 40)
        #expect(report["requestsPerSecond"] as? Double == 40)
        #expect(report["seconds"] as? Double == 1)
        #expect(try #require(report["tailSeconds"] as? Double) > 2)
        let other = try KnownServer.server { .init(200, KnownServer.signed, delay: $0 == 30 ? 4 : 0) }
        #expect(
            try KnownServer.load(other, arguments).text.contains(#/the last answer came [3-9]\.\d s after sending/#)
        )
    }

    @Test("A generator that was stopped says that it was late itself", arguments: [true, false])
    func stopped(json: Bool) throws {
        let server = try KnownServer.server { _ in .init(200, KnownServer.signed) }
        let arguments = ["--rate", "50", "--warm-up", "0", "--duration", "4"] + (json ? ["--json"] : [])
        let process = try ChildProcess(Executable.lab, ["load", "--url", server.url, "--token", "t"] + arguments)
        for _ in 0..<6000 where !process.hasEnded && server.requests.count < 20 { usleep(10_000) }
        process.send(SIGSTOP)
        usleep(1_500_000)
        process.send(SIGCONT)
        let outcome = try process.outcome()
        if json {
            let report = try KnownServer.json(outcome)
            let lateness = try #require(report["generatorLateness"] as? [String: Double])
            #expect(try #require(lateness["max"]) > 1000)
            #expect(try #require(report["generatorShare"] as? Double) > 0)
        } else {
            #expect(outcome.text.contains(#/WARNING: the generator sent late with a connection free: p99 [1-9],\d/#))
        }
    }

    @Test("A rate below one is reported unrounded, and an answer may have spaces where JSON has them")
    func smallRate() throws {
        let spaced = KnownServer.signed.replacing(#":""#, with: #" : ""#)
        let server = try KnownServer.server { _ in .init(200, spaced) }
        let outcome = try KnownServer.load(server, ["--rate", "0.4", "--warm-up", "0", "--duration", "1"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("open loop: 0.4 requests a second over 16 connections"), "\(outcome.text)")
    }

    @Test("Refusals took their time, too: the closed loop is corrected by the time between all requests")
    func refusedInClosedLoop() throws {
        let server = try KnownServer.server { number in
            number.isMultiple(of: 40)
                ? .init(200, KnownServer.signed, delay: 0.005) : .init(429, #"{"code":"rate_limited"}"#, delay: 0.005)
        }
        let outcome = try KnownServer.load(
            server,
            ["--warm-up", "0", "--duration", "2", "--connections", "2", "--json"]
        )
        let report = try KnownServer.json(outcome)
        let correction = try #require(report["correction"] as? String)
        let interval = try #require(correction.split(separator: " ").dropFirst().first.flatMap { Double($0) })
        let requests = try #require(report["requests"] as? Int)
        let errors = try #require(report["errors"] as? [String: Int])
        let sent = requests + errors.values.reduce(0, +)
        #expect(requests > 0)
        #expect(abs(interval * Double(sent) - 2 * 2000) < 1000, "\(correction), \(sent) requests")
    }
}
