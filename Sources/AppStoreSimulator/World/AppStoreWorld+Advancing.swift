import Offers

extension AppStoreWorld {
    /// Whether the clock has reached a moment at which a subscription renews or ends.
    var isDue: Bool { customers.nextChange <= clock.now }

    /// Lets subscriptions renew and end, as far as the clock says.
    ///
    /// - Parameter signer: Signs the notifications.
    /// - Throws: `SimulatorFault` when one cannot be signed.
    mutating func advance(signer: AppStoreSigner) throws(SimulatorFault) {
        let now = clock.now
        for index in customers.all.indices {
            guard let app = app(customers.all[index].bundleId) else { continue }
            for (position, subscription) in customers.all[index].subscriptions.enumerated() {
                var subscription = subscription
                let events = subscription.advance(to: now, in: app, numbers: &numbers)
                guard !events.isEmpty else { continue }
                customers.set(subscription, at: position, of: index)
                for event in events { try notify(event, of: customers.all[index], app, signer) }
            }
        }
        customers.findNextChange()
    }
}
