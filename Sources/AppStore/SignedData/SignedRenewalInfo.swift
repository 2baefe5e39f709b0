import Offers
import StrictJSON

/// A renewal info that the App Store signed (`JWSRenewalInfoDecodedPayload`).
///
/// It names neither app nor group: it counts only beside a transaction of the same subscription.
struct SignedRenewalInfo {
    /// The subscription: the identifier of its first purchase.
    let originalTransactionId: String
    /// The environment of the purchase; `nil` for one that is none of Apple's.
    let environment: AppStoreEnvironment?
    let signedDate: Timestamp
    let renewal: RenewalInfo

    init(_ payload: SignedDataVerifier.Payload) throws(SignedDataFault) {
        var renewal = RenewalInfo.unread
        var environment: String?
        var nextProductId: String?
        var offerType: Int64?
        var offerIdentifier: String?
        try payload.read("renewal info") { (json) throws(JSONFault) in
            var reader = JSONReader(json, refusesDuplicates: false)
            try reader.readObject(RenewalMember.table) { (member, reader) throws(JSONFault) in
                switch member {
                case .originalTransactionId: renewal.originalTransactionId = try reader.readAppleIdentifier()
                case .productId: renewal.productId = try reader.readAppleIdentifier()
                case .autoRenewProductId: nextProductId = try reader.readAppleIdentifier()
                case .autoRenewStatus: renewal.autoRenewStatus = try reader.readAppleFlag()
                case .expirationIntent:
                    let intent = try reader.readAppleInteger() ?? 0
                    renewal.hasExpirationIntent = intent != 0
                    renewal.lapseReason = LapseReason(intent: intent)
                case .priceIncreaseStatus: renewal.priceIncrease = PriceIncrease(try reader.readAppleText())
                case .willUnbundle: renewal.willUnbundle = try reader.readAppleFlag() ?? false
                case .isInBillingRetryPeriod:
                    renewal.isInBillingRetryPeriod = try reader.readAppleFlag() ?? false
                case .renewalDate: renewal.renewalDate = try reader.readAppleDate()
                case .gracePeriodExpiresDate: renewal.gracePeriodExpiresDate = try reader.readAppleDate()
                case .environment: environment = try reader.readAppleText()
                case .offerType: offerType = try reader.readAppleInteger()
                case .offerIdentifier: offerIdentifier = try reader.readAppleIdentifier()
                case .commitmentInfo:
                    renewal.commitmentAutoRenewStatus = try Self.commitmentAutoRenewStatus(reading: &reader)
                case .eligibleWinBackOfferIds:
                    renewal.eligibleWinBackOfferIds = try Self.winBackOfferIds(reading: &reader)
                case nil: try reader.skipValue()
                }
            }
        }
        // A transaction names its subscription too, but never what is renewed.
        guard let originalTransactionId = renewal.originalTransactionId,
            renewal.autoRenewStatus != nil || nextProductId != nil
        else {
            throw SignedDataFault(.payloadMalformed, "The payload is signed, but not a renewal info's.")
        }
        renewal.offer = RedeemedOffer(type: offerType, identifier: offerIdentifier)
        if renewal.offer?.catalogId != nil, nextProductId != renewal.productId {
            renewal.offerProductId = nextProductId
        }
        self.originalTransactionId = originalTransactionId
        self.environment = try payload.environment(named: environment)
        signedDate = payload.signedDate
        self.renewal = renewal
    }

    /// `commitmentInfo.commitmentAutoRenewStatus`.
    private static func commitmentAutoRenewStatus(reading reader: inout JSONReader) throws(JSONFault) -> Bool? {
        var status: Bool?
        try reader.readAppleObject { (name, reader) throws(JSONFault) in
            if name == "commitmentAutoRenewStatus" {
                status = try reader.readAppleFlag()
            } else {
                try reader.skipValue()
            }
        }
        return status
    }

    /// How many win-back offers are kept: more than a group has.
    private static let mostWinBackOffers = 32

    private static func winBackOfferIds(reading reader: inout JSONReader) throws(JSONFault) -> [String] {
        guard try reader.nextType() == .array else {
            try reader.skipValue()
            return []
        }
        var ids: [String] = []
        try reader.readArray { (_, reader) throws(JSONFault) in
            if let id = try reader.readAppleIdentifier(), ids.count < Self.mostWinBackOffers { ids.append(id) }
        }
        return ids
    }
}

/// The members of `JWSRenewalInfoDecodedPayload` that count.
private enum RenewalMember: String, CaseIterable {
    case originalTransactionId
    case productId
    case autoRenewProductId
    case autoRenewStatus
    case expirationIntent
    case isInBillingRetryPeriod
    case renewalDate
    case gracePeriodExpiresDate
    case environment
    case offerType
    case offerIdentifier
    case commitmentInfo
    case eligibleWinBackOfferIds
    case priceIncreaseStatus
    case willUnbundle

    static let table = JSONMembers(RenewalMember.self)
}
