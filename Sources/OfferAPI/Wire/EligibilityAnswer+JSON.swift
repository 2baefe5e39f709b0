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
