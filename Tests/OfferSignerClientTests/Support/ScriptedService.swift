import FakeServer
import Foundation
import Synchronization

@testable import OfferSignerClient

/// A server that gives its replies one after the other, the last one again and again, and a client of it that does not
/// wait between attempts but writes down how long it would have.
final class ScriptedService: Sendable {
    static let token = "fZ3kW9-secret-of-the-backend_07~"
    static let request = SignatureRequest(
        evidence: .transactionId("7"),
        offers: [RequestedOffer(productId: "pro.monthly", offerId: "comeback50")]
    )
    static let answer = FakeServer.Reply(200, #"{"bundleId":"com.example.reader","account":{},"decisions":[]}"#)

    private let server: FakeServer
    private let waited = Mutex<[Duration]>([])

    init(_ replies: FakeServer.Reply...) throws {
        let script = Script(replies)
        server = try FakeServer { _ in script.next() }
    }

    /// The requests so far.
    var requests: [FakeServer.Request] { server.requests }

    /// The pauses so far, which nobody made.
    var pauses: [Duration] { waited.withLock { $0 } }

    /// Patient beyond what a busy machine takes, so that the clock plays no part.
    static let patience = RetryPolicy(deadline: .seconds(600), attemptTimeout: .seconds(120))

    func client(_ retries: RetryPolicy = patience) throws -> OfferSigner {
        try OfferSigner(url: server.url, token: Self.token, retries: retries) { [self] pause in
            waited.withLock { $0.append(pause) }
        }
    }

    /// A problem as the service writes it.
    static func problem(_ status: Int, _ code: String, _ headers: [String: String] = [:]) -> FakeServer.Reply {
        let details =
            #"{"type":"urn:x","title":"T","status":\#(status),"detail":"D.","code":"\#(code)","pointer":"/a"}"#
        return FakeServer.Reply(status, headers: headers, details)
    }
}

/// Replies in their order.
private final class Script: Sendable {
    private let replies: Mutex<[FakeServer.Reply]>

    init(_ replies: [FakeServer.Reply]) { self.replies = Mutex(replies) }

    func next() -> FakeServer.Reply {
        replies.withLock { replies in replies.count > 1 ? replies.removeFirst() : replies[0] }
    }
}
