import Logging
import Offers
import Synchronization

@testable import AppStore

/// A transport that answers from a list, and keeps what it was asked.
final class ScriptedTransport: HTTPTransport {
    private struct State {
        var replies: [Result<IncomingResponse, TransportFault>]
        var requests: [OutgoingRequest] = []
    }

    private let state: Mutex<State>

    init(_ replies: [Result<IncomingResponse, TransportFault>]) { state = Mutex(State(replies: replies)) }

    var requests: [OutgoingRequest] { state.withLock { $0.requests } }

    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        let reply = state.withLock { state in
            state.requests.append(request)
            return state.replies.isEmpty ? .failure(.connection) : state.replies.removeFirst()
        }
        return try reply.get()
    }

    func shutdown() async {}
}

extension Result<IncomingResponse, TransportFault> {
    /// An answer with that body.
    static func reply(_ body: String, status: Int = 200, retryAfter: String? = nil, date: Timestamp? = nil) -> Self {
        .success(IncomingResponse(status: status, retryAfter: retryAfter, date: date, body: Array(body.utf8)))
    }
}

extension AppStoreURLs {
    /// Names instead of addresses, for tests that send nothing.
    static let names = AppStoreURLs(
        verifyReceipt: "production",
        sandboxVerifyReceipt: "sandbox",
        serverAPI: "production",
        sandboxServerAPI: "sandbox"
    )
}

extension Timestamp {
    static let testNow = Timestamp(millisecondsSince1970: 1_795_262_400_000)
}

extension AppStoreEvidenceFetcher {
    /// A fetcher at no pace, with a deadline that is longer than a busy machine keeps a test waiting.
    init(
        _ apps: [AppStoreApp],
        over transport: any HTTPTransport,
        verifier: SignedDataVerifier = SignedDataVerifier(),
        deadline: Duration = .seconds(600),
        now: @escaping @Sendable () -> Timestamp = { .testNow }
    ) {
        self.init(
            apps: apps,
            urls: .names,
            verifier: verifier,
            transport: transport,
            requestsPerSecond: nil,
            deadline: deadline,
            logger: .silent,
            now: now
        )
    }
}

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
