/// The offer under which a transaction was made (`offerType` of the App Store Server API).
public enum RedeemedOffer: Hashable, Sendable {
    /// An introductory offer or free trial (`offerType` 1).
    case introductory
    /// A promotional offer, by its identifier (`offerType` 2).
    case promotional(String)
    /// A subscription offer code, by its reference name (`offerType` 3).
    case offerCode(String)
    /// A win-back offer, by its identifier (`offerType` 4).
    case winBack(String)
}
