import Foundation
import StoreKitConfiguration
import Yams

/// `app-store.yaml` as it is written: what is left out has a default, and a key with another name is ignored.
struct Scenario: Decodable {
    var clock: Date?
    var appStoreConnect: Connect?
    var apps: [App]
    var customers: [Customer]?

    struct Connect: Decodable {
        var issuerId: String?
        var keys: [Key]?
        var requestsPerHour: Int?
        var pageSize: Int?
        var agreementMissing: Bool?
    }

    struct App: Decodable {
        var bundleId: String
        var name: String?
        var appAppleId: Int64?
        var sharedSecret: String?
        var issuerId: String?
        var keys: [Key]?
        var gracePeriodDays: Int?
        var renewsAheadHours: Int?
        var currency: String?
        var notificationURL: String?
        var retention: Retention?
        var subscriptionGroups: [Group]
    }

    struct Retention: Decodable {
        var url: String?
        var messages: [Message]?
        var defaults: [Default]?
        var performanceTest: [String: Int]?

        struct Message: Decodable {
            var id: String
            var image: Bool?
        }

        struct Default: Decodable {
            var product: String
            var locale: String
            var message: String
        }
    }

    struct Key: Decodable {
        var id: String
        var publicKey: String?
        var publicKeyFile: String?
        /// Of App Store Connect.
        var individual: Bool?
        var role: String?
    }

    struct Group: Decodable {
        var id: String
        var name: String?
        var products: [Product]
    }

    struct Product: Decodable {
        var id: String
        var level: Int?
        var price: Decimal?
        var period: SubscriptionPeriod?
        var monthlyPrice: Decimal?
        var introductoryOffer: Offer?
        var offers: [Offer]?
        var retentionOffers: [Offer]?
        // For App Store Connect.
        var name: String?
        var state: String?
        var familySharable: Bool?
        var groupPurchaseInvitationMode: String?
        var winBackOffers: [WinBackOffer]?
        var offerCodes: [String]?
        var territories: [String]?

        struct WinBackOffer: Decodable {
            var id: String
            var startDate: String?
            var endDate: String?
        }
    }

    struct Offer: Decodable {
        var id: String?
        var billingPlanType: BillingPlanType?
        var mode: StoreOffer.PaymentMode?
        var price: Decimal?
        var period: SubscriptionPeriod?
        var periods: Int?
        var priceNoLongerValid: Bool?
        var territories: [String]?
    }

    struct Customer: Decodable {
        var name: String
        var count: Int?
        var bundleId: String?
        var environment: String?
        var appAccountToken: String?
        var subscriptions: [Subscription]?
    }

    struct Subscription: Decodable {
        var product: String
        var billingPlanType: BillingPlanType?
        var state: CustomerState
        var periods: Int?
        var introductory: Bool?
        var redeemed: [String]?
        var retentionOffer: String?
        var revocationPercentage: Int64?
        var eligibleWinBackOfferIds: [String]?
        var upgradedTo: String?
        var expiresAt: Date?
        var expiresInHours: Int?
        var seats: Int64?
        var invitationManagement: Seats.InvitationManagement?
        var idChange: IdChange?
    }
}

/// `app-store.yaml`: the apps, products and customers of a simulated App Store.
struct ScenarioFile {
    /// The file's folder, to which its paths are relative.
    let directory: URL
    /// Xcode's file, whose products and offers count in place of those of this one.
    var storeKitFile: StoreKitFile?

    private var url: URL { directory.appending(path: "app-store.yaml") }

    func load() throws(SimulatorFault) -> AppStoreWorld {
        if !FileManager.default.fileExists(atPath: url.path) {
            try ServiceUnderTest(directory: directory, storeKitFile: storeKitFile).make()
            let builtIn = String(decoding: Data(PackageResources.app_store_yaml), as: UTF8.self)
            let yaml = storeKitFile.map(Scenario.yaml) ?? builtIn
            let (id, file) = (ServiceUnderTest.keyIdentifier, ServiceUnderTest.publicKeyFile)
            let keys = "    keys:\n      - { id: \(id), publicKeyFile: \(file) }\n"
            let data = Data(yaml.replacing("    keys:\n", with: keys, maxReplacements: 1).utf8)
            guard FileManager.default.createFile(atPath: url.path, contents: data) else {
                throw SimulatorFault("\(url.path) cannot be written; name another directory with --directory")
            }
        }
        guard let data = FileManager.default.contents(atPath: url.path) else {
            throw SimulatorFault("\(url.path) cannot be read")
        }
        return try world(String(decoding: data, as: UTF8.self))
    }

    func world(_ yaml: String) throws(SimulatorFault) -> AppStoreWorld {
        do {
            var scenario = try YAMLDecoder().decode(Scenario.self, from: yaml)
            if let storeKitFile { try scenario.use(storeKitFile) }
            return try scenario.world(in: directory)
        } catch let error as DecodingError {
            throw SimulatorFault("\(url.path): \(Self.text(of: error))")
        } catch {
            throw SimulatorFault("\(url.path): \(error)")
        }
    }

    /// What Yams says, with the place.
    private static func text(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
            .dataCorrupted(let context):
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
            let reason = context.underlyingError.map { "\n\($0)" } ?? ""
            return "\(path.trimmingPrefix(".")) \(context.debugDescription)\(reason)"
        @unknown default: return "\(error)"
        }
    }
}
