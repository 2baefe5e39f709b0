import ChildProcess
import FakeServer
import Foundation
import Synchronization
import Testing

/// What the load generator takes for Offer Signer, with a behaviour that is known.
enum KnownServer {
    static let eligible = #"""
        {"bundleId":"com.example.reader","account":{},
        "decisions":[{"productId":"p","offerId":"o","verdict":"eligible","reason":"active"}]}
        """#
    static let signed = #"""
        {"bundleId":"com.example.reader","account":{},"decisions":[{"productId":"p","offerId":"o","verdict":"eligible",
        "reason":"active","discount":{"identifier":"o","keyIdentifier":"K","nonce":"1","timestamp":1,"signature":"AAAA"}}]}
        """#

    /// A server for which every customer is eligible: the closure answers requests for signatures by their number, from 1.
    static func server(_ answer: @escaping @Sendable (Int) -> FakeServer.Reply) throws -> FakeServer {
        let number = Counter()
        return try FakeServer { $0.path == "/v1/signatures" ? answer(number.next()) : .init(200, Self.eligible) }
    }

    static func load(_ server: FakeServer, _ arguments: [String]) throws -> ChildProcess.Outcome {
        try start(server, arguments).outcome()
    }

    static func start(_ server: FakeServer, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(Executable.lab, ["load", "--url", server.url, "--token", "t"] + arguments)
    }

    /// The result of a run that ended well.
    static func report(_ outcome: ChildProcess.Outcome) throws -> [String: Any] {
        outcome.expect(0)
        return try json(outcome)
    }

    /// The result that was printed.
    static func json(_ outcome: ChildProcess.Outcome) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any], "\(outcome.errors)")
    }
}

/// Numbers from 1, for whoever asks.
final class Counter: Sendable {
    private let last = Atomic(0)

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
