import ChildProcess
import FakeServer
import Foundation
import Synchronization
import Testing

/// The load generator against servers whose behaviour is known.
@Suite("The load generator's figures")
struct LoadFigureTests {
    private static let eligible = #"""
        {"bundleId":"com.example.reader","account":{},
        "decisions":[{"productId":"p","offerId":"o","verdict":"eligible","reason":"active"}]}
        """#
    private static let signed = #"""
        {"bundleId":"com.example.reader","account":{},"decisions":[{"productId":"p","offerId":"o","verdict":"eligible",
        "reason":"active","discount":{"identifier":"o","keyIdentifier":"K","nonce":"1","timestamp":1,"signature":"AAAA"}}]}
        """#

    /// A server that answers the requests for signatures by their number, from 1.
    private func server(_ answer: @escaping @Sendable (Int) -> FakeServer.Reply) throws -> FakeServer {
        let number = Counter()
        return try FakeServer { request in
            request.path == "/v1/signatures" ? answer(number.next()) : .init(200, Self.eligible)
        }
    }

    private func load(_ server: FakeServer, _ arguments: [String]) throws -> ChildProcess.Outcome {
        try Executable.run(["load", "--url", server.url, "--token", "t"] + arguments)
    }

    private func json(_ outcome: ChildProcess.Outcome) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any], "\(outcome.errors)")
    }

    @Test("One late answer is told by itself, and does not make the service's throughput smaller")
    func lateAnswer() throws {
        let server = try server { .init(200, Self.signed, delay: $0 == 30 ? 4 : 0) }
        let arguments = ["--rate", "40", "--warm-up", "0", "--duration", "1", "--connections", "8"]
        let report = try json(try load(server, arguments + ["--json"]))
        #expect(report["requests"] as? Int == 40)
        #expect(report["requestsPerSecond"] as? Double == 40)
        #expect(report["seconds"] as? Double == 1)
        #expect(try #require(report["tailSeconds"] as? Double) > 2)
        let other = try self.server { .init(200, Self.signed, delay: $0 == 30 ? 4 : 0) }
        #expect(try load(other, arguments).text.contains(#/the last answer came [3-9]\.\d s after sending/#))
    }

    @Test("What was refused took its time, too: the closed loop is corrected by the time between all requests")
    func refusedInClosedLoop() throws {
        let server = try server { number in
            number.isMultiple(of: 40)
                ? .init(200, Self.signed, delay: 0.005) : .init(429, #"{"code":"rate_limited"}"#, delay: 0.005)
        }
        let outcome = try load(server, ["--warm-up", "0", "--duration", "2", "--connections", "2", "--json"])
        let report = try json(outcome)
        let correction = try #require(report["correction"] as? String)
        let interval = try #require(correction.split(separator: " ").dropFirst().first.flatMap { Double($0) })
        let requests = try #require(report["requests"] as? Int)
        let errors = try #require(report["errors"] as? [String: Int])
        let sent = requests + errors.values.reduce(0, +)
        #expect(requests > 0)
        #expect(abs(interval * Double(sent) - 2 * 2000) < 1000, "\(correction), \(sent) requests")
    }
}

/// Numbers from 1, for whoever asks.
private final class Counter: Sendable {
    private let last = Mutex(0)

    func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
