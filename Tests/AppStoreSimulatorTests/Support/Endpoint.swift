import Foundation
import Hummingbird
import HummingbirdTesting
import Synchronization

/// An app's endpoint that answers retention calls as a test says, and keeps what it was asked.
final class Endpoint: Sendable {
    private struct State {
        var status = 200
        var body = "{}"
        var delay = Duration.zero
        var calls: [[String: String]] = []
        var mostAtOnce = 0
        var atOnce = 0
    }

    private let state = Mutex(State())

    /// The payloads that were signed, not verified.
    var signedPayloads: [String] { state.withLock { $0.calls.compactMap { $0["signedPayload"] } } }

    /// How many calls were answered at once, at most.
    var mostAtOnce: Int { state.withLock(\.mostAtOnce) }

    /// Says what is answered from now on.
    func answers(_ body: String, status: Int = 200, after delay: Duration = .zero) {
        state.withLock { ($0.body, $0.status, $0.delay) = (body, status, delay) }
    }

    /// Listens for as long as the work takes.
    func listening<Value: Sendable>(
        _ work: @escaping @Sendable (_ url: String) async throws -> Value
    ) async throws -> Value {
        let router = Router()
        router.post("/messages") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let call = try JSONDecoder().decode([String: String].self, from: Data(body.readableBytesView))
            let (status, text, delay) = self.state.withLock { state in
                state.calls.append(call)
                state.atOnce += 1
                state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
                return (state.status, state.body, state.delay)
            }
            defer { self.state.withLock { $0.atOnce -= 1 } }
            try await Task.sleep(for: delay)
            return Response(status: .init(code: status), body: .init(byteBuffer: .init(string: text)))
        }
        return try await Application(router: router, configuration: .init(address: .hostname("localhost", port: 0)))
            .test(.live) { client in try await work("http://localhost:\(client.port ?? 0)/messages") }
    }
}
