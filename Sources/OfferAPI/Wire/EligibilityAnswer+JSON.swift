import OfferService
import Offers
import StrictJSON

extension EligibilityAnswer {
    /// The answer as `POST /v1/eligibility` gives it: one JSON object in UTF-8, without white space.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 256 * (decisions.count + products.count + 1))
        writer.object { answer in
            answer.member("bundleId", bundleId)
            if let environment { answer.member("environment", environment.rawValue) }
            answer.member("account", account)
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
        }
        return writer.bytes
    }
}

extension ProductEligibility {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { product in
            product.member("productId", productId)
            product.member("introductoryOffer", introductoryOffer)
        }
    }
}
