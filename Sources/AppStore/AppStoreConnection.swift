import Offers

/// The way to Apple's services, which the clients of both have in common.
struct AppStoreConnection: Sendable {
    let transport: any HTTPTransport
    let urls: AppStoreURLs
    /// The time for a question with all its attempts and pauses.
    let deadline: Duration
    /// The server's clock: the date of an answer that has none.
    let now: @Sendable () -> Timestamp
    let log: AppleLog
    /// The question that is being asked; `nil` for calls by themselves.
    var turn: QuestionTurn?

    func send<Answer>(
        _ request: OutgoingRequest,
        timeout: Duration,
        _ read: (IncomingResponse) -> AppStoreOutcome<Answer>
    ) async -> AppStoreOutcome<Answer> {
        var request = request
        request.turn = turn
        do throws(TransportFault) {
            return read(try await transport.send(request, timeout: timeout))
        } catch {
            return switch error {
            case .failed(.timeout, _): .temporary(.appStoreUnavailable("The App Store did not answer in time."))
            case .failed(.tooLarge, _):
                .unavailable(.appStoreUnavailable("The App Store's answer is too large to be one."))
            case .failed: .temporary(.appStoreUnavailable("The App Store cannot be reached."))
            case .heldBack(let restraint, let seconds):
                .unavailable(.appStoreUnavailable(restraint.detail, retryAfterSeconds: seconds))
            }
        }
    }
}

extension AppStoreMetrics.Restraint {
    fileprivate var detail: String {
        let reason =
            switch self {
            case .pace: "it was asked for this app as often as appStore.requestsPerSecond allows"
            case .apple: "it asks for patience"
            case .breaker: "it has failed several times lately"
            }
        return "The App Store is not asked just now: \(reason)."
    }
}
