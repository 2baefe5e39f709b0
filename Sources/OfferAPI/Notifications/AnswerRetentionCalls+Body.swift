import OfferService
package import Offers
import StrictJSON

/// `POST /v1/retention-messages`, without the transport.
extension AnswerRetentionCalls {
    /// Answers a call from a body, whose other members are ignored; throws 400, 404, 422 or 503.
    func answer(_ body: [UInt8]) async throws(Problem) -> RetentionReply {
        let signedPayload: String
        do throws(JSONFault) {
            signedPayload = try SignedPayload.read(body, of: "A call for a retention message")
        } catch {
            countMalformed()
            throw Problem(error)
        }
        do throws(RetentionRefusal) {
            return try await answer(signedPayload).get()
        } catch {
            throw Problem(error)
        }
    }
}

extension RetentionAnswer {
    /// The answer as Apple reads it: `RealtimeResponseBody` of Retention Messaging.
    package var json: [UInt8] {
        JSONWriter.text(capacity: 1024) { answer in
            switch proposal {
            case .message:
                answer.object("message") { $0.member("messageIdentifier", messageIdentifier) }
            case .alternateProduct(let productId, let plan):
                answer.object("alternateProduct") { product in
                    product.member("messageIdentifier", messageIdentifier)
                    product.member("productId", productId)
                    if let plan { product.member("billingPlanType", plan.rawValue) }
                }
            case .promotionalOffer(let jws):
                answer.object("promotionalOffer") { offer in
                    offer.member("messageIdentifier", messageIdentifier)
                    offer.member("promotionalOfferSignatureV2", jws.compact)
                }
            }
        }
    }
}

extension Problem {
    init(_ refusal: RetentionRefusal) {
        func unavailable(_ code: String, _ detail: String, reason: String? = nil) -> Problem {
            Problem(status: 503, code: code, detail: detail, retryAfterSeconds: 1, reason: reason)
        }
        switch refusal {
        case .notTaken(let fault):
            self.init(status: 422, code: fault.code.rawValue, detail: fault.detail, pointer: "/signedPayload")
        case .tooOld(let date):
            self.init(
                status: 422,
                code: "request_too_old",
                detail: "The call was signed \(date.rfc3339), more than five minutes ago.",
                pointer: "/signedPayload"
            )
        case .inFuture(let date):
            self.init(
                status: 422,
                code: "request_in_future",
                detail: "The call is dated \(date.rfc3339), ahead of the clock.",
                pointer: "/signedPayload"
            )
        case .noRule:
            self.init(
                status: 404,
                code: "no_retention_message",
                detail: "No rule of the app's retention section in the catalog fits: Apple shows its own message."
            )
        case .tooSlow:
            self = unavailable(
                "answer_timeout",
                "There was no answer within retention.timeoutMilliseconds. Nothing was given out."
            )
        case .tooMany:
            self = unavailable(
                "too_many_requests_at_once",
                "As many calls as retention.maximumCalls allows are being answered. Nothing was given out."
            )
        case .state(let detail):
            self = unavailable(
                "state_unavailable",
                "What is remembered of the customer cannot be read now. Nothing was given out.",
                reason: detail
            )
        case .ledger(let failure):
            self = unavailable(
                failure.code == .tooSlow ? "answer_timeout" : "ledger_unavailable",
                "The answer could not be recorded. Nothing was given out.",
                reason: failure.description
            )
        case .signing(let failure):
            self = unavailable(
                failure.isUnavailability ? "signing_unavailable" : "signing_failed",
                "The service could not sign. Nothing was given out.",
                reason: failure.description
            )
        }
    }
}
