package import OfferService
import Offers
import StrictJSON

extension CustomerAnswer {
    /// The answer of the call: one JSON object in UTF-8, without white space.
    package var json: [UInt8] {
        // About as much as it takes. Beyond a thousand bytes, malloc takes longer.
        let isSigned = request.signatureCount > 0
        let capacity =
            isSigned
            ? 200 + 720 * decisions.count + 1024 * products.count : 256 * (decisions.count + products.count + 1)
        return JSONWriter.text(capacity: capacity) { answer in
            answer.member("bundleId", request.bundleId)
            if let environment { answer.member("environment", environment.rawValue) }
            if !isClockRight { answer.member("warnings", ["clock_wrong"]) }
            answer.member("account", request.account)
            switch request.kind {
            case .signatures: answer.member(decisions, isAppStores: isAppStores)
            case .introductorySignatures: answer.member(products, isAppStores: isAppStores)
            case .eligibility:
                answer.member(decisions, isAppStores: isAppStores)
                answer.member(products, isAppStores: isAppStores)
                answer.member(winBackOffers)
            }
        }
    }
}

extension OfferAnswer {
    fileprivate func write(to writer: inout JSONWriter, isAppStores: Bool) {
        writer.object { member in
            member.members(of: decision, about: request, isAppStores: isAppStores)
            if let discount {
                member.object("discount") { member in
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
            if let signatures {
                member.object("signatures") { counts in
                    counts.member("count", Int64(signatures.count))
                    counts.member("maximum", Int64(signatures.limit.maximumSignaturesPerCustomer))
                    counts.member("periodDays", Int64(signatures.limit.periodDays))
                }
            }
        }
    }
}

extension ProductAnswer {
    fileprivate func write(to writer: inout JSONWriter, isAppStores: Bool) {
        writer.object { product in
            product.member("productId", productId)
            product.member("introductoryOffer", introductoryOffer, isAppStores: isAppStores)
            if let jws {
                product.flag("allowIntroductoryOffer", jws.allowIntroductoryOffer)
                product.member("jws", jws.compact)
                product.member("expiresAt", jws.expiresAt.rfc3339)
            }
            product.member(winBackOffers)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ decisions: [OfferAnswer], isAppStores: Bool) {
        list("decisions", decisions) { $0.write(to: &$1, isAppStores: isAppStores) }
    }

    fileprivate mutating func member(_ products: [ProductAnswer], isAppStores: Bool) {
        list("products", products) { $0.write(to: &$1, isAppStores: isAppStores) }
    }

    /// Writes `winBackOffers`, which is left out where there are none.
    fileprivate mutating func member(_ offers: [WinBackOffer]) {
        guard !offers.isEmpty else { return }
        objects("winBackOffers", offers) { offer, json in
            json.member("id", offer.id)
            if let url = offer.url { json.member("url", url) }
        }
    }
}
