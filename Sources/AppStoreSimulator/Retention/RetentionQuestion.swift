import Foundation
import Offers
import StrictJSON

/// A question of the App Store to an app's endpoint about a customer (`RealtimeRequestBody`).
struct RetentionQuestion: Sendable {
    /// The app.
    let app: StoreApp
    /// The customer.
    let customer: StoreCustomer
    /// The subscription that the customer looks at.
    let subscription: StoreSubscription
    /// `userLocale`.
    let locale: String
    /// `requestIdentifier`, a UUID.
    let identifier: String
    /// `signedDate`.
    let date: Timestamp

    /// Asks about a customer.
    ///
    /// - Parameters:
    ///   - id: The original transaction of the subscription.
    ///   - locale: The customer's language.
    ///   - identifier: The call's own identifier; `nil` for a new one.
    ///   - world: The App Store's state.
    /// - Throws: ``RequestFault`` when there is no such subscription, or nothing of it to be cancelled.
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

    /// The product that the customer looks at.
    var productId: String { subscription.latest.productId }

    /// The set-up of the customer's environment.
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

    /// The signed payload.
    ///
    /// - Parameter signer: The simulator's signer.
    /// - Returns: The JWS.
    /// - Throws: `SimulatorFault` when it cannot be signed.
    func signed(by signer: AppStoreSigner) throws(SimulatorFault) -> String { try signer.jws(payload) }
}
