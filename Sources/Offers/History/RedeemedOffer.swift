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
    /// A retention offer, by its identifier (`offerType` 5, June 2026): redeemed on the page where a subscription is
    /// cancelled, without a signature.
    case retention(String)
    /// An offer of a type that this service does not know, or without the identifier that its type has.
    ///
    /// It is an offer that runs all the same.
    case other(type: Int64, identifier: String)

    /// Reads Apple's two members; `nil` where there is no offer.
    ///
    /// - Parameters:
    ///   - type: `offerType`; `nil` and 0 say that there is no offer.
    ///   - identifier: `offerIdentifier`.
    public init?(type: Int64?, identifier: String?) {
        switch (type, identifier) {
        case (nil, _), (0, _): return nil
        case (1, _): self = .introductory
        case (2, let identifier?): self = .promotional(identifier)
        case (3, let identifier): self = .offerCode(identifier ?? "")
        case (4, let identifier?): self = .winBack(identifier)
        case (5, let identifier?): self = .retention(identifier)
        case (let type?, let identifier): self = .other(type: type, identifier: identifier ?? "")
        }
    }

    /// `offerType`.
    public var type: Int64 {
        switch self {
        case .introductory: 1
        case .promotional: 2
        case .offerCode: 3
        case .winBack: 4
        case .retention: 5
        case .other(let type, _): type
        }
    }

    /// `offerIdentifier`; empty where Apple gave none.
    public var identifier: String {
        switch self {
        case .introductory: ""
        case .promotional(let id), .offerCode(let id), .winBack(let id), .retention(let id): id
        case .other(_, let id): id
        }
    }

    /// The identifier of an offer that the catalog may have: a promotional offer, or one that Apple shows as a retention
    /// offer; `nil` for others.
    public var catalogId: String? {
        switch self {
        case .promotional(let id), .retention(let id): id
        case .introductory, .offerCode, .winBack, .other: nil
        }
    }
}
