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
        var position: Int64 = 0
        if let after = try parameters.value(of: "after") {
            guard let cursor = RedemptionCursor(after, of: bundleId) else { throw .cursorUnknown }
            position = cursor.position
        }
        // An answer has to be there before its own time is over.
        let longest = max(request.answerSeconds - 1, 0)
        let (loop, waiting) = (request.loop, NIOLoopBound(request, eventLoop: request.loop))
        return .later { [redemptionFeed, position] () async throws(Problem) in
            let page: [ToldRedemption]?
            do throws(StorageFailure) {
                page = try await redemptionFeed.page(
                    of: bundleId,
                    after: position,
                    limit: limit,
                    waiting: .seconds(min(wait, longest)),
                    whileWorthIt: { (try? await loop.submit { waiting.value.mayWait }.get()) == true }
                )
            } catch {
                throw .redemptionsUnavailable
            }
            guard let page else { throw position > 0 ? .cursorUnknown : .appNotAllowed }
            let next = RedemptionCursor(position: page.last?.position ?? position).text(of: bundleId)
            return Reply(Self.json(page, next: next))
        }
    }

    private static func json(_ page: [ToldRedemption], next: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 64 + 320 * page.count)
        writer.object { answer in
            answer.member("redemptions")
            answer.array { list in
                for redemption in page { redemption.write(to: &list) }
            }
            answer.member("next", next)
        }
        return writer.bytes
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

    fileprivate static let cursorUnknown = invalidParameter(
        "The parameter after is no cursor of this app's redemptions here: send a next that an answer about the same app "
            + "gave, or leave it out to begin with the first."
    )
}
