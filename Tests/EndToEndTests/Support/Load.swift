import Foundation
import Synchronization

/// Connections that ask for signatures one after the other, each from a thread of its own, until they are stopped.
final class Load: Sendable {
    /// One answered request.
    struct Sample: Sendable {
        /// The load's period (``Load/advance()``) before it was sent, and that after its answer.
        let periods: ClosedRange<Int>
        /// The status; 0 when the connection failed.
        let status: Int
        let keyIdentifier: String
        let nonce: String
        let timestamp: Int
        let signature: String

        /// The `discount` as the answer had it.
        var discount: [String: Any] {
            [
                "identifier": "anyone", "keyIdentifier": keyIdentifier, "nonce": nonce, "timestamp": timestamp,
                "signature": signature,
            ]
        }
    }

    private struct State {
        var isStopped = false
        var period = 0
        var samples: [Sample] = []
        var running: Int
    }

    private let state: Mutex<State>

    /// Each connection makes a number of requests; without end by default.
    init(
        on service: RunningService,
        connections: Int,
        requests: Int = .max,
        token: String = Installation.token,
        body: String = Customers.request("alice")
    ) {
        state = Mutex(State(running: connections))
        let address = service.server
        for _ in 0..<connections {
            Thread.detachNewThread { [self] in
                var connection = try? Connection(to: address)
                for _ in 0..<requests {
                    if state.withLock({ $0.isStopped }) { break }
                    let (sample, isLast) = ask(connection, body, token)
                    state.withLock { $0.samples.append(sample) }
                    if sample.status == 0 { break }
                    if isLast { connection = try? Connection(to: address) }
                }
                state.withLock { $0.running -= 1 }
            }
        }
    }

    /// How many answers there are so far.
    var count: Int { state.withLock { $0.samples.count } }

    /// Begins another period: what is sent from now on is sent in this one, or a later one.
    func advance() { state.withLock { $0.period += 1 } }

    /// All answers, once every connection has made its requests.
    func finish() -> [Sample] {
        while state.withLock({ $0.running > 0 }) { usleep(10_000) }
        return state.withLock { $0.samples }
    }

    /// All answers, once the requests that are under way have theirs.
    func stop() -> [Sample] {
        state.withLock { $0.isStopped = true }
        return finish()
    }

    /// The answer, and whether it is the connection's last.
    private func ask(_ connection: Connection?, _ body: String, _ token: String) -> (Sample, isLast: Bool) {
        let headers = ["Authorization: Bearer \(token)", "Content-Type: application/json"]
        let before = state.withLock { $0.period }
        let response = try? connection?.request("POST", "/v1/signatures", headers: headers, body: body)
        let discount = response?.decisions.first?["discount"] as? [String: Any] ?? [:]
        let sample = Sample(
            periods: before...state.withLock { $0.period },
            status: response?.status ?? 0,
            keyIdentifier: discount["keyIdentifier"] as? String ?? "",
            nonce: discount["nonce"] as? String ?? "",
            timestamp: discount["timestamp"] as? Int ?? 0,
            signature: discount["signature"] as? String ?? ""
        )
        return (sample, response?.headers["connection"] == "close")
    }
}
