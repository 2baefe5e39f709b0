import Foundation
import Offers
import StrictJSON

/// A question of the App Store to an app's endpoint about a customer (`RealtimeRequestBody`).
struct RetentionQuestion: Sendable {
    let app: StoreApp
    let customer: StoreCustomer
    /// The subscription that the customer looks at.
    let subscription: StoreSubscription
    let locale: String
    /// `requestIdentifier`, a UUID.
    let identifier: String
    let date: Timestamp

    var productId: String { subscription.latest.productId }

    var setup: RetentionMessaging.Setup { app.retention[customer.environment] }

    /// The default message of the product in the language; the App Store asks nothing where there is none.
    var defaultMessage: String? { setup.defaults[.init(productId: productId, locale: locale)] }

    /// The payload (`DecodedRealtimeRequestBody`).
    var payload: [UInt8] {
        JSONWriter.text { json in
            json.member("originalTransactionId", subscription.originalTransactionId)
            json.member("appAppleId", app.appAppleId)
            json.member("productId", productId)
            json.member("userLocale", locale)
            json.member("requestIdentifier", identifier)
            json.member("environment", customer.environment.rawValue)
            json.date("signedDate", date)
        }
    }
}

extension RetentionQuestion {
    /// Asks about the subscription of an original transaction; a call without an identifier gets a new one.
    init(
        about id: String,
        in locale: String,
        identifier: String? = nil,
        _ world: AppStoreWorld
    ) throws(RequestFault) {
        guard let customer = world.customers.index(owning: id).map({ world.customers.all[$0] }),
            let subscription = customer.subscriptions.first(where: { $0.originalTransactionId == id }),
            let app = world.app(customer.bundleId)
        else {
            throw .member(
                "originalTransactionId",
                "No customer has that subscription; GET /simulator/customers lists them."
            )
        }
        guard subscription.status != 2, subscription.status != 5 else {
            throw .member("originalTransactionId", "The subscription has ended: there is nothing to cancel.")
        }
        self.app = app
        self.customer = customer
        self.subscription = subscription
        self.locale = locale
        self.identifier = identifier ?? UUID().uuidString.lowercased()
        date = world.clock.now
    }
}
