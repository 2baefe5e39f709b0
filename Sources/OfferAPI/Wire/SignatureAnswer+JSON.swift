package import OfferService
import Offers
import StrictJSON

extension SignatureAnswer {
    /// The answer as `POST /v1/signatures` gives it: one JSON object in UTF-8, without white space.
    package var json: [UInt8] {
        // About as much as it takes. Beyond a thousand bytes, malloc takes longer.
        var writer = JSONWriter(capacity: 200 + 720 * decisions.count)
        writer.object { answer in
            answer.subject(bundleId, environment, account)
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

extension IntroductorySignatureAnswer {
    /// The answer as `POST /v1/introductory-eligibility-signatures` gives it: one JSON object in UTF-8, without white
    /// space.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 1024 * (products.count + 1))
        writer.object { answer in
            answer.subject(bundleId, environment, account)
            answer.member("products")
            answer.array { elements in
                for product in products { product.write(to: &elements) }
            }
        }
        return writer.bytes
    }
}

extension SignedProductEligibility {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { product in
            product.member("productId", productId)
            product.member("introductoryOffer", introductoryOffer)
            guard let jws else { return }
            product.member("allowIntroductoryOffer")
            product.bool(jws.allowIntroductoryOffer)
            product.member("jws", jws.compact)
            product.member("expiresAt", jws.expiresAt.rfc3339)
        }
    }
}

extension EligibilityAnswer {
    /// The answer as `POST /v1/eligibility` gives it: one JSON object in UTF-8, without white space.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 256 * (decisions.count + products.count + 1))
        writer.object { answer in
            answer.subject(bundleId, environment, account)
            answer.member("decisions")
            answer.array { elements in
                for offer in decisions {
                    elements.object { $0.members(of: offer.decision, about: offer.request) }
                }
            }
            answer.member("products")
            answer.array { elements in
                for product in products { product.write(to: &elements) }
            }
            answer.member(winBackOffers)
        }
        return writer.bytes
    }
}

extension ProductEligibility {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { product in
            product.member("productId", productId)
            product.member("introductoryOffer", introductoryOffer)
            product.member(winBackOffers)
        }
    }
}

extension JSONWriter {
    /// Writes the members with which each answer begins.
    fileprivate mutating func subject(_ bundleId: String, _ environment: AppStoreEnvironment?, _ account: Account) {
        member("bundleId", bundleId)
        if let environment { member("environment", environment.rawValue) }
        member("account", account)
    }

    /// Writes `winBackOffers`, which is left out where there are none.
    fileprivate mutating func member(_ offers: [WinBackOffer]) {
        guard !offers.isEmpty else { return }
        member("winBackOffers")
        array { list in
            for offer in offers {
                list.object { json in
                    json.member("id", offer.id)
                    if let url = offer.url { json.member("url", url) }
                }
            }
        }
    }
}
