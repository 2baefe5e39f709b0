import ChildProcess
import FakeServer
import Foundation
import Synchronization
import Testing

/// What the load generator takes for Offer Signer, with a behaviour that is known.
enum KnownServer {
    /// An answer to a question about eligibility.
    static let eligible = #"""
        {"bundleId":"com.example.reader","account":{},
        "decisions":[{"productId":"p","offerId":"o","verdict":"eligible","reason":"active"}]}
        """#
    /// An answer to a request for a signature.
    static let signed = #"""
        {"bundleId":"com.example.reader","account":{},"decisions":[{"productId":"p","offerId":"o","verdict":"eligible",
        "reason":"active","discount":{"identifier":"o","keyIdentifier":"K","nonce":"1","timestamp":1,"signature":"AAAA"}}]}
        """#

    /// Starts a server for which every customer is eligible.
    ///
    /// - Parameter answer: Answers the requests for signatures by their number, from 1.
    /// - Returns: The server.
    /// - Throws: `POSIXError` when no port can be listened on.
    static func server(_ answer: @escaping @Sendable (Int) -> FakeServer.Reply) throws -> FakeServer {
        let number = Counter()
        return try FakeServer { $0.path == "/v1/signatures" ? answer(number.next()) : .init(200, Self.eligible) }
    }

    /// Puts load on a server.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - arguments: The arguments beside address and token.
    /// - Returns: What the load generator left behind.
    /// - Throws: An error when it cannot be started.
    static func load(_ server: FakeServer, _ arguments: [String]) throws -> ChildProcess.Outcome {
        try Executable.run(["load", "--url", server.url, "--token", "t"] + arguments, of: Executable.lab)
    }

    /// The result that was printed as JSON.
    ///
    /// - Parameter outcome: What the load generator left behind.
    /// - Returns: The object.
    /// - Throws: An error when it is none.
    static func json(_ outcome: ChildProcess.Outcome) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any], "\(outcome.errors)")
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
}
