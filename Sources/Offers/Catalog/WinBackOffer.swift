/// A win-back offer: Apple says who may have it, and no signature is needed.
public struct WinBackOffer: Equatable, Sendable {
    /// The offer's identifier in App Store Connect.
    public let id: String
    /// The direct link to it, `https://apps.apple.com/win-back/…`, which App Store Connect shows; `nil` where the catalog
    /// does not have it.
    public let url: String?

    /// Creates an offer.
    ///
    /// - Parameters:
    ///   - id: The offer's identifier.
    ///   - url: The direct link to it.
    public init(id: String, url: String?) {
        self.id = id
        self.url = url
    }
}

extension OfferPolicy {
    /// The win-back offers that the customer may have in groups, as the newest renewal info of each group names them
    /// (`eligibleWinBackOfferIds`): in Apple's order, the best first.
    ///
    /// Evidence of another app, environment or account names none, nor does evidence that is too old.
    ///
    /// - Parameter groups: The groups, in the order of the answer.
    /// - Returns: The offers, each once.
    public mutating func winBackOffers(inGroups groups: [SubscriptionGroup]) -> [WinBackOffer] {
        guard let history = history?.value,
            history.renewals?.contains(where: { !$0.eligibleWinBackOfferIds.isEmpty }) == true
        else { return [] }
        let lookup = EntryLookup(history, of: app)
        var found: [WinBackOffer] = []
        for group in groups where isEvidenceOfCustomer(inGroup: group) {
            let entries = (history.renewals ?? []).filter { lookup.group(of: $0) == group.id }
            let newest = entries.max(by: RenewalInfo.isOlder)
            let known = group.products.flatMap(\.winBackOffers)
            for id in newest?.eligibleWinBackOfferIds ?? [] where !found.contains(where: { $0.id == id }) {
                found.append(known.first { $0.id == id } ?? WinBackOffer(id: id, url: nil))
            }
        }
        return found
    }
}

extension RenewalInfo {
    /// Whether Apple signed the left one before the right one; of two that were signed at once the identifiers decide.
    fileprivate static func isOlder(_ left: RenewalInfo, _ right: RenewalInfo) -> Bool {
        let dates = [left, right].map { $0.signedDate?.millisecondsSince1970 ?? .min }
        guard dates[0] == dates[1] else { return dates[0] < dates[1] }
        return (left.originalTransactionId ?? "") < (right.originalTransactionId ?? "")
    }
}
