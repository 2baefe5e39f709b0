import NIOCore
import OfferService
import Offers
import StrictJSON

/// `GET /v1/redemptions`.
extension PublicEndpoints {
    /// Answers with the redemptions after a cursor; it waits for the first where there are none.
    func redemptions(_ request: Request, _ client: Client) throws(Problem) -> Step<Reply, Problem> {
        let parameters = try request.parameters()
        let bundleId = try client.app(namedIn: parameters)
        let limit = try parameters.number("limit", in: 1...1000) ?? 100
        let wait = try parameters.number("wait", in: 0...RedemptionFeed.longestWaitSeconds) ?? 0
        var start = RedemptionFeed.Start.after(0)
        let after = try parameters.value(of: "after")
        if let text = try parameters.value(of: "since") {
            guard after == nil else { throw .sinceRefused("Send after or since, not both.") }
            guard let since = Timestamp(writtenInRFC3339: text) else {
                throw .sinceRefused("The since is an RFC 3339 time, such as 2026-11-01T00:00:00Z, a plus sign as %2B.")
            }
            start = .since(since)
        } else if let after {
            guard let cursor = RedemptionCursor(after, of: bundleId) else { throw .cursorUnknown }
            start = .after(cursor.position)
        }
        // An answer has to be there before its own time is over.
        let longest = max(request.answerSeconds - 1, 0)
        let (loop, waiting) = (request.loop, NIOLoopBound(request, eventLoop: request.loop))
        return .later { [redemptionFeed, start] () async throws(Problem) in
            let page: (redemptions: [FeedEntry], position: Int64)?
            do throws(StorageFailure) {
                page = try await redemptionFeed.page(
                    of: bundleId,
                    from: start,
                    limit: limit,
                    waiting: .seconds(min(wait, longest)),
                    whileWorthIt: { (try? await loop.submit { waiting.value.mayWait }.get()) == true }
                )
            } catch {
                throw .redemptionsUnavailable
            }
            guard let (page, position) = page else { throw after == nil ? .appNotAllowed : .cursorUnknown }
            let next = RedemptionCursor(position: page.last?.position ?? position).text(of: bundleId)
            return Reply(Self.json(page, next: next))
        }
    }

    private static func json(_ page: [FeedEntry], next: String) -> [UInt8] {
        JSONWriter.text(capacity: 64 + 320 * page.count) { answer in
            answer.list("redemptions", page) { $0.write(to: &$1) }
            answer.member("next", next)
        }
    }
}

extension QueryParameters {
    /// The value of a parameter that is a whole number; throws 400 for another one.
    fileprivate func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = try value(of: name) else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number)
        else {
            throw .invalidParameter("The \(name) is a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

extension Problem {
    fileprivate static let redemptionsUnavailable = Problem(
        status: 503,
        code: "store_unavailable",
        detail: "The redemptions cannot be read now; ask again.",
        retryAfterSeconds: 5
    )

    fileprivate static func sinceRefused(_ detail: String) -> Problem {
        Problem(status: 400, code: "invalid_value", detail: detail, pointer: "/since")
    }

    fileprivate static let cursorUnknown = invalidParameter(
        "The parameter after is no cursor of this app's redemptions here: send a next that an answer about the same app "
            + "gave, or leave it out to begin with the first."
    )
}
