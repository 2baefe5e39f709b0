import Offers

/// All that the simulated App Store knows: a value, changed under one lock.
struct AppStoreWorld: Sendable {
    /// The clock.
    var clock: SimulatedClock
    /// The apps.
    var apps: [StoreApp]
    /// The customers.
    var customers = CustomerList()
    /// The nonces that were used.
    var nonces: Set<String> = []
    /// The notifications, oldest first.
    var notifications: [StoreNotification] = []
    /// The faults to show.
    var faults: [InjectedFault] = []
    /// Where transaction identifiers come from.
    var numbers: TransactionNumbers

    /// Looks an app up.
    ///
    /// - Parameter bundleId: Its bundle identifier.
    /// - Returns: The app; `nil` when there is none.
    func app(_ bundleId: String) -> StoreApp? { apps.first { $0.bundleId == bundleId } }

    /// Looks a customer up.
    ///
    /// - Parameter name: The name.
    /// - Returns: The customer; `nil` when there is none.
    func customer(_ name: String) -> StoreCustomer? { customers.index(named: name).map { customers.all[$0] } }

    /// The notifications of an app, oldest first.
    ///
    /// - Parameters:
    ///   - bundleId: The app.
    ///   - environment: Production or Sandbox.
    /// - Returns: The notifications.
    func notifications(of bundleId: String, in environment: AppStoreEnvironment) -> [StoreNotification] {
        notifications.filter { $0.bundleId == bundleId && $0.environment == environment }
    }

    /// Keeps the notification of an event, to be sent.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - customer: To whom.
    ///   - app: The app.
    ///   - signer: Signs it.
    /// - Throws: `SimulatorFault` when it cannot be signed.
    mutating func notify(
        _ event: StoreEvent,
        of customer: StoreCustomer,
        _ app: StoreApp,
        _ signer: AppStoreSigner
    ) throws(SimulatorFault) {
        notifications.append(
            try StoreNotification(
                event,
                app: app,
                environment: customer.environment,
                customer: customer,
                signer: signer
            )
        )
    }
}
