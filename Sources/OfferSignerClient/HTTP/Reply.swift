/// What came back from an attempt.
struct Reply: Sendable {
    let status: Int
    /// `Retry-After` as it was sent.
    let retryAfter: String?
    /// `X-Request-ID` as it was sent.
    let requestId: String?
    let body: [UInt8]

    /// The answer of a call that went well.
    ///
    /// - Parameter type: What it should be.
    /// - Returns: The answer.
    /// - Throws: `AttemptFault` when it is something else.
    func answer<Answer: Decodable>(_ type: Answer.Type) throws(AttemptFault) -> Answer {
        guard (200..<300).contains(status) else { throw fault }
        do {
            return try JSON.value(type, from: body)
        } catch {
            throw .final(.unexpectedAnswer(status: status, detail: "The body is no answer of Offer Signer: \(error)"))
        }
    }

    private var fault: AttemptFault {
        let error = error
        let retryAfter = retryAfterSeconds.map { Duration.seconds($0) }
        // The work goes on when nobody waits for it any longer.
        if case .problem(let problem) = error, problem.code == "answer_timeout" {
            return .lost(error, retryAfter: retryAfter)
        }
        switch status {
        case 408, 429, 503: return .refused(error, retryAfter: retryAfter)
        case 502, 504: return .lost(error, retryAfter: retryAfter)
        default: return .final(error)
        }
    }

    private var error: OfferSignerError {
        struct Details: Decodable {
            let code: String
            let detail: String
            let pointer: String?
        }
        guard let details = try? JSON.value(Details.self, from: body) else {
            return .unexpectedAnswer(status: status, detail: "The body is no problem details of Offer Signer.")
        }
        return .problem(
            Problem(
                status: status,
                code: details.code,
                detail: details.detail,
                pointer: details.pointer,
                retryAfterSeconds: retryAfterSeconds,
                requestId: requestId
            )
        )
    }

    /// `Retry-After` in seconds, as the service writes it (RFC 9110 §10.2.3 also knows a date).
    private var retryAfterSeconds: Int? {
        guard let seconds = retryAfter.flatMap(Int.init), seconds >= 0 else { return nil }
        return min(seconds, Self.longestRetryAfter)
    }

    /// A day: more is as good as never.
    private static let longestRetryAfter = 86_400
}
