import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Offers

/// Asks an app's endpoint, and judges what comes back.
struct RetentionCaller: Sendable {
    /// The result of a call.
    struct Outcome: Sendable {
        /// The part shown to the customer.
        var screen = RetentionScreen()
        /// Why it is not what the endpoint answered; `nil` where it is.
        var refusal: RetentionRefusal?
        /// The signed question; `nil` where nobody was asked.
        var signedPayload: String?
        var status: Int?
        var body: [UInt8] = []
        var time: Duration = .zero
    }

    private enum Reply {
        case answer(status: Int, body: [UInt8])
        case late
        case none(String)
    }

    /// An endpoint's longest answer, in bytes.
    private static let longestAnswer = 1 << 16

    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1000
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let store: SimulatedAppStore

    /// Asks the endpoint what to show a customer; where that is needed and no default message is there, nobody is
    /// asked.
    func ask(_ question: RetentionQuestion, needsDefault: Bool = true) async -> Outcome {
        let setup = question.setup
        let fallback = question.defaultMessage.flatMap(setup.message).flatMap { $0.state == .approved ? $0.id : nil }
        if needsDefault, question.defaultMessage == nil {
            let place = "\(question.productId) in \(question.locale)"
            return Outcome(refusal: .invalid("\(place) has no default message: nobody is asked."))
        }
        let other = fallback.map { RetentionScreen(kind: .defaultMessage, message: $0) } ?? RetentionScreen()
        guard let url = setup.url else {
            return Outcome(screen: other, refusal: .invalid("No address is set: nobody is asked."))
        }
        let signed = store.signer.jws(question.payload)
        let limit = question.app.retention.settings.responseTimeThreshold
        let start = ContinuousClock.now
        let request = HTTPClientRequest(posting: signed, to: url)
        let reply = await send(request, within: .milliseconds(limit))
        var outcome = Outcome(screen: other, refusal: nil, signedPayload: signed, time: start.duration(to: .now))
        do throws(RetentionRefusal) {
            switch reply {
            case .late:
                throw RetentionRefusal(result: "TIMED_OUT", reason: "There was no answer within \(limit) ms.")
            case .none(let reason):
                throw RetentionRefusal(result: "NO_RESPONSE", reason: "There was no answer: \(reason)")
            case .answer(let status, let body):
                (outcome.status, outcome.body) = (status, body)
                guard status == 200 else {
                    throw RetentionRefusal(
                        result: "UNSUCCESSFUL_HTTP_RESPONSE_CODE",
                        reason: "The answer's status is \(status), not 200."
                    )
                }
                let world = store.current()
                let judge = RetentionJudge(question: question, nonces: world.nonces, now: world.clock.now)
                outcome.screen = try judge.screen(body)
            }
        } catch {
            outcome.refusal = error
        }
        return outcome
    }

    private func send(_ request: HTTPClientRequest, within limit: Duration) async -> Reply {
        await withTaskGroup(of: Reply.self) { group in
            group.addTask {
                do {
                    let response = try await Self.client.execute(request, timeout: .seconds(60))
                    let body = try await response.body.collect(upTo: Self.longestAnswer)
                    return .answer(status: Int(response.status.code), body: Array(body.readableBytesView))
                } catch {
                    return .none("\(error)")
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .late
            }
            let first = await group.next() ?? .late
            group.cancelAll()
            return first
        }
    }
}
