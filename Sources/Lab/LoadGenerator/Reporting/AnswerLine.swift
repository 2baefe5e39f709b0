import AppStoreSimulator
internal import FoundationEssentials
import NIOCore
import StrictJSON

/// An answer as a line of JSON, to be held against the ledger of the service.
enum AnswerLine {
    /// An object, with the end of the line, for an answer, or for a request that got none.
    static func make(
        _ answer: AnswerReader.Answer?,
        _ failure: LoadFailure?,
        to expected: ExpectedAnswer,
        after nanoseconds: Int64
    ) -> [UInt8] {
        JSONWriter.line(capacity: 512) { line in
            line.member("time", now)
            line.member("milliseconds", nanoseconds / 1_000_000)
            if let answer { line.member("status", Int64(answer.status)) }
            if let failure { line.member("error", failure.description) }
            if let subscription = expected.originalTransactionId {
                line.member("originalTransactionId", subscription)
            } else {
                line.member("account", expected.account)
            }
            guard let answer, answer.status == 200 else { return }
            line.objects("offers", offers(in: Array(answer.body.readableBytesView))) { offer, member in
                member.member("productId", offer.productId)
                member.member("offerId", offer.offerId)
                if let reason = offer.reason { member.member("reason", reason) }
                if let nonce = offer.nonce { member.member("nonce", nonce) }
            }
        }
    }

    private static func offers(
        in body: [UInt8]
    ) -> [(productId: String, offerId: String, reason: String?, nonce: String?)] {
        if let signature = RetentionAnswer(json: body)?.signature {
            let jws = ES256JWS(signature)
            return jws?.offer.map { [($0.productId, $0.offerId, nil, jws?.string("nonce") ?? "")] } ?? []
        }
        return ((try? SignedAnswer(json: body).decisions) ?? []).map { decision in
            (decision.productId, decision.offerId, decision.reason, decision.discount?.nonce)
        }
    }

    /// Milliseconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
