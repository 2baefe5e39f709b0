extension App {
    /// How many names of the catalog are compared: a refusal is made on an event loop, for each of a hundred offers.
    private static let mostNames = 200
    /// How many products a sentence lists.
    private static let mostProducts = 3

    /// A sentence on an offer that the catalog lacks: which part is missing, and which name is near.
    func phrase(forMissing request: OfferRequest) -> String {
        guard let product = product(request.productId)?.product else {
            let ids = subscriptionGroups.lazy.flatMap(\.products).map(\.id)
            let hint = Self.question(for: request.productId, among: ids) ?? elsewhere(request, "the offer is on")
            return "The catalog has no product \(request.productId)\(hint)"
        }
        let hint =
            Self.question(for: request.offerId, among: product.offers.lazy.map(\.id)) ?? elsewhere(request, "it is on")
        return "The catalog has no offer \(request.offerId) on \(product.id)\(hint)"
    }

    /// The end of the sentence: the products that have the offer.
    private func elsewhere(_ request: OfferRequest, _ words: String) -> String {
        let found = offers.lazy.filter { $0.offerId.hasSameBytes(as: request.offerId) }.prefix(Self.mostProducts + 1)
        let products = found.map(\.productId)
        guard !products.isEmpty else { return inAnotherCase(request.offerId) ?? "." }
        let more = products.count > Self.mostProducts ? " and others" : ""
        return "; \(words) \(products.prefix(Self.mostProducts).joined(separator: ", "))\(more)."
    }

    /// The end of the sentence: the product whose offer differs in case alone.
    private func inAnotherCase(_ offerId: String) -> String? {
        let asked = offerId.lowercasedBytes
        return offers.lazy.prefix(Self.mostNames).first { $0.offerId.lowercasedBytes == asked }.map {
            "; did you mean \($0.offerId), on \($0.productId)? Upper and lower case count."
        }
    }

    /// The end of the sentence: the name that may have been meant; `nil` where none is near.
    private static func question(for name: String, among names: some Sequence<String>) -> String? {
        let asked = name.lowercasedBytes
        var near: String?
        for other in names.prefix(mostNames) where abs(other.utf8.count - asked.count) <= 1 {
            let bytes = other.lowercasedBytes
            if bytes == asked { return "; did you mean \(other)? Upper and lower case count." }
            if near == nil, bytes.isOneEditAway(from: asked) { near = other }
        }
        return near.map { "; did you mean \($0)?" }
    }
}

extension String {
    fileprivate var lowercasedBytes: [UInt8] { Array(lowercased().utf8) }
}

extension [UInt8] {
    /// The shortest name of which one letter may be a slip: of a shorter one it makes another.
    private static let shortest = 4

    /// Whether one byte more, less or other, or two neighbours swapped, make one of the other.
    fileprivate func isOneEditAway(from other: [UInt8]) -> Bool {
        guard Swift.min(count, other.count) >= Self.shortest else { return false }
        let same = zip(self, other).prefix { $0 == $1 }.count
        let (rest, otherRest) = (dropFirst(same), other.dropFirst(same))
        if rest.count == otherRest.count {
            let isSwap = rest.prefix(2).reversed().elementsEqual(otherRest.prefix(2))
            return rest.dropFirst().elementsEqual(otherRest.dropFirst())
                || isSwap && rest.dropFirst(2).elementsEqual(otherRest.dropFirst(2))
        }
        return rest.dropFirst().elementsEqual(otherRest) || otherRest.dropFirst().elementsEqual(rest)
    }
}
