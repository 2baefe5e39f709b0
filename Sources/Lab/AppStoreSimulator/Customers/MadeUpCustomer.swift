import Offers

/// A customer of no running App Store, with one subscription: load is made of such, and of what Apple would say of them.
package struct MadeUpCustomer: Sendable {
    package let bundleId: String
    package let productId: String
    package let state: CustomerState
    private let app: StoreApp
    private let environment: AppStoreEnvironment
    private let originalTransactionId: Int64
    private let now: Timestamp

    /// The state is one of a subscription that the customer pays for and that was neither refunded nor upgraded.
    package init(
        _ originalTransactionId: Int64,
        of bundleId: String,
        appAppleId: Int64 = 1_234_567_890,
        productId: String,
        _ state: CustomerState,
        inSandbox: Bool = false,
        atMilliseconds now: Int64
    ) {
        self.originalTransactionId = originalTransactionId
        self.bundleId = bundleId
        self.productId = productId
        self.state = state
        self.now = Timestamp(millisecondsSince1970: now)
        environment = inSandbox ? .sandbox : .production
        let product = StoreProduct(
            id: productId,
            groupId: "20900001",
            level: 1,
            price: 9990,
            period: .month
        )
        app = StoreApp(bundleId: bundleId, appAppleId: appAppleId, products: [product])
    }

    private func customer(payments: Int) -> StoreCustomer {
        var numbers = TransactionNumbers(last: originalTransactionId - 1)
        let plan = SubscriptionPlan(product: app.products[0], plan: .billedUpfront, state: state, periods: payments)
        var subscription = plan.subscription(at: now, in: app, numbers: &numbers)
        // The next number is the next customer's.
        if payments > 1 { subscription.latest.identify(by: "\(originalTransactionId)1") }
        return StoreCustomer(
            name: "",
            bundleId: app.bundleId,
            environment: environment,
            appTransactionId: String(originalTransactionId),
            subscriptions: [subscription]
        )
    }

    /// The payloads of the signed transaction and the renewal info of a subscription's first payment.
    package var signedPayloads: [[UInt8]] {
        let customer = customer(payments: 1)
        let (payloads, subscription) = (Payloads(app, customer, signedDate: now), customer.subscriptions[0])
        return [payloads.transaction(subscription.latest), payloads.renewal(subscription)]
    }

    /// A verifyReceipt answer of about 2 KB, as a backend gets one from Apple: two payments.
    package var receiptResponse: [UInt8] {
        let customer = customer(payments: 2)
        return VerifyReceiptAnswer.appReceipt(
            app,
            customer,
            inApp: [],
            latest: customer.transactions,
            receipt: nil,
            now: now
        )
    }

    /// A notification of the first payment, signed.
    package func notification(_ signer: AppStoreSigner) -> String {
        let customer = customer(payments: 1)
        let event = StoreEvent(.subscribed, .initialBuy, at: now, customer.subscriptions[0])
        return StoreNotification(event, app: app, environment: environment, customer: customer, signer: signer)
            .signedPayload
    }

    /// The payload of Apple's question what to show the customer, who is about to cancel.
    package func retentionCall(_ requestIdentifier: String) -> [UInt8] {
        let customer = customer(payments: 1)
        return RetentionQuestion(
            app: app,
            customer: customer,
            subscription: customer.subscriptions[0],
            locale: "en-US",
            identifier: requestIdentifier,
            date: SimulatedClock.machine
        ).payload
    }
}
