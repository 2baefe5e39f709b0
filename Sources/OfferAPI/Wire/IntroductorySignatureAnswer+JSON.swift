import OfferService
import Offers
import StrictJSON

extension IntroductorySignatureAnswer {
    /// The answer as `POST /v1/introductory-eligibility-signatures` gives it: one JSON object in UTF-8, without white
    /// space.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 1024 * (products.count + 1))
        writer.object { answer in
            answer.member("bundleId", bundleId)
            if let environment { answer.member("environment", environment.rawValue) }
            answer.member("account", account)
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
