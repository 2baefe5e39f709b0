/// Xcode's StoreKit configuration file (`.storekit`), as far as it is used, by its own names.
package struct StoreKitFile: Decodable, Sendable {
    package struct Version: Decodable, Sendable {
        @WholeNumber package var major: Int
    }

    package struct Group: Decodable, Sendable {
        /// The group's in App Store Connect where the file was synchronised, else one that Xcode has made up.
        package let id: String
        package let name: String?
        package let subscriptions: [Product]
    }

    package struct Product: Decodable, Sendable {
        package let productID: String
        package let referenceName: String?
        let internalID: String?
        /// The rank in the group, 1 the highest; products may share one.
        @WholeNumber package var groupNumber: Int
        package let recurringSubscriptionPeriod: Period
        private let displayPrice: Price?
        private let billingPlans: [BillingPlan]?
        private let introductoryOffer: Offer?
        private let introductoryOffers: [Offer]?
        private let adHocOffers: [PromotionalOffer]?
        private let winbackOffers: [PromotionalOffer]?
        private let codeOffers: [Anything]?

        /// `nil` where nobody has entered one.
        package var price: String? { displayPrice?.entered }
        /// The price of a month with a 12-month commitment.
        package var monthlyPrice: String? {
            billingPlans?.first { $0.billingPlanType == Offer.monthly && $0.isEnabled != false }?.displayPrice?.entered
        }
        /// From version 5 on, the one is also in the list.
        package var introductory: [Offer] {
            introductoryOffers.flatMap { $0.isEmpty ? nil : $0 } ?? introductoryOffer.map { [$0] } ?? []
        }
        package var promotionalOffers: [PromotionalOffer] { adHocOffers ?? [] }
        package var winBackOffers: [PromotionalOffer] { winbackOffers ?? [] }
        /// How many offers with codes there are.
        package var codes: Int { codeOffers?.count ?? 0 }
    }

    package struct Offer: Decodable, Sendable {
        package enum PaymentMode: String, Decodable, Sendable {
            case free, payAsYouGo, payUpFront
        }

        package let paymentMode: PaymentMode
        package let subscriptionPeriod: Period
        private let numberOfPeriods: WholeNumber?
        private let displayPrice: Price?
        private let billingPlanType: String?

        package var periods: Int { numberOfPeriods?.wrappedValue ?? 1 }
        /// A free offer has none, but perhaps one that is left over.
        package var price: String? { paymentMode == .free ? nil : displayPrice?.entered }
        package var isForMonthlyPlan: Bool { billingPlanType == Self.monthly }
        fileprivate static let monthly = "MONTHLY"
    }

    /// A promotional offer or a win-back offer.
    package struct PromotionalOffer: Decodable, Sendable {
        package let offerID: String
        package let referenceName: String?
        package let terms: Offer

        private enum CodingKeys: CodingKey { case offerID, referenceName }

        package init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            offerID = try members.decode(String.self, forKey: .offerID)
            referenceName = try members.decodeIfPresent(String.self, forKey: .referenceName)
            terms = try Offer(from: decoder)
        }
    }

    /// The newest form that this was written for; of a newer one, the same is read.
    package static let newestMajor = 5

    package let version: Version
    package let subscriptionGroups: [Group]
    private let settings: Settings?
    /// Xcode's key for tests on the machine: no byte of it is kept.
    private let subscriptionOffersKeyPair: Anything?

    package var hasKeyPair: Bool { subscriptionOffersKeyPair != nil }
    package var products: [Product] { subscriptionGroups.flatMap(\.subscriptions) }

    /// What App Store Connect said when the file was synchronised with it; `nil` of a local file, whose ids mean nothing
    /// there.
    package var synchronisation: Synchronisation? {
        let ids = subscriptionGroups.flatMap { [$0.id] + $0.subscriptions.map { $0.internalID ?? "" } }
        return ids.allSatisfy(\.isDecimal) ? settings?.synchronisation : nil
    }

    package struct Synchronisation: Equatable, Sendable {
        package let appAppleId: Int64
        package let secondsSince1970: Int64
    }
}

private struct Settings: Decodable {
    private enum CodingKeys: CodingKey { case _applicationInternalID, _lastSynchronizedDate }

    let synchronisation: StoreKitFile.Synchronisation?

    /// Seconds from 1970 to 2001, where Apple's dates begin, and from there to 2100.
    private static let (start, end) = (978_307_200 as Int64, 3_124_224_000.0)

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let text = (try? members.decode(String.self, forKey: ._applicationInternalID)) ?? ""
        let seconds = (try? members.decode(Double.self, forKey: ._lastSynchronizedDate)) ?? 0
        guard text.isDecimal, let id = Int64(text), id > 0, seconds > 0, seconds < Self.end else {
            synchronisation = nil
            return
        }
        synchronisation = .init(appAppleId: id, secondsSince1970: Self.start + Int64(seconds))
    }
}

private struct BillingPlan: Decodable {
    let billingPlanType: String?
    let displayPrice: StoreKitFile.Price?
    let isEnabled: Bool?
}

/// A value of which nothing is read.
private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}

extension String {
    fileprivate var isDecimal: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
