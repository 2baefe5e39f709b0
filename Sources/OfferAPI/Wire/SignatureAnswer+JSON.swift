public import OfferService
import Offers
import StrictJSON

extension SignatureAnswer {
    /// The answer as `POST /v1/signatures` gives it: one JSON object in UTF-8, without white space.
    public var json: [UInt8] {
        // About as much as it takes. What is beyond a thousand bytes, malloc gives out in a longer way.
        var writer = JSONWriter(capacity: 200 + 720 * decisions.count)
        writer.object { answer in
            answer.member("bundleId", bundleId)
            if let environment { answer.member("environment", environment.rawValue) }
            answer.member("account", account)
            answer.member("decisions")
            answer.array { elements in
                for decision in decisions { decision.write(to: &elements) }
            }
        }
        return writer.bytes
    }
}

extension SignedDecision {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { member in
            member.members(of: decision, about: request)
            if let discount {
                member.member("discount")
                member.object { member in
                    member.member("identifier", discount.identifier)
                    member.member("keyIdentifier", discount.keyIdentifier)
                    member.member("nonce", discount.nonce.text)
                    member.member("timestamp", discount.timestamp.millisecondsSince1970)
                    member.member("signature")
                    member.base64(discount.signature)
                }
            }
            if let jws { member.member("jws", jws.compact) }
            if let expiresAt { member.member("expiresAt", expiresAt.rfc3339) }
        }
    }
}
