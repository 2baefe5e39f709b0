package import Foundation
import Offers
package import StoreKitConfiguration
import Synchronization

/// A stand-in App Store: its state under one lock, and the key that it signs with.
///
/// It holds an opinion of Apple's side of its own, and knows nothing of the service that it is there to test.
package final class SimulatedAppStore: Sendable {
    let signer: AppStoreSigner
    /// The root, PEM: what a service lists in `appStore.additionalRoots`.
    package let rootPEM: URL

    private let world: Mutex<AppStoreWorld>

    /// Opens the App Store of a directory.
    ///
    /// At the first start, the certificates are made there, and `app-store.yaml` is written with the customers that are
    /// built in, with a key and a configuration for a service in `service`. They are read from then on. With Xcode's file,
    /// its products and offers count in place of the app's.
    package convenience init(directory: URL, storeKitFile: StoreKitFile? = nil) throws(SimulatorFault) {
        let files = SignerDirectory(url: directory)
        let signer = try files.load()
        let scenario = ScenarioFile(directory: directory, storeKitFile: storeKitFile)
        self.init(try scenario.load(), signer: signer, rootPEM: files.rootPEM)
    }

    /// The configuration of a service that asks this one, made at the first start; `nil` where it was not.
    package static func service(in directory: URL, port: Int) -> String? {
        ServiceUnderTest(directory: directory).finish(port: port)
    }

    init(_ world: AppStoreWorld, signer: AppStoreSigner, rootPEM: URL) {
        self.world = Mutex(world)
        self.signer = signer
        self.rootPEM = rootPEM
    }

    /// The state, with all that the clock has brought.
    func current() -> AppStoreWorld {
        world.withLock { world in
            bringUpToDate(&world)
            return world
        }
    }

    /// Changes the state, after all that the clock has brought.
    func change<Result>(_ change: (inout AppStoreWorld) throws -> Result) rethrows -> Result {
        try world.withLock { world in
            bringUpToDate(&world)
            return try change(&world)
        }
    }

    /// Lets subscriptions renew and end, as far as the clock says.
    func letTimePass() {
        world.withLock { bringUpToDate(&$0) }
    }

    /// The notifications that are due, and where they go.
    func dueNotifications() -> [(StoreNotification, URL)] {
        world.withLock { world in
            let now = world.clock.now
            return world.notifications.compactMap { notification in
                guard let due = notification.nextAttempt, due <= now else { return nil }
                return world.app(notification.bundleId)?.notificationURL.map { (notification, $0) }
            }
        }
    }

    /// Keeps what became of a notification.
    func record(_ result: NotificationAttempt.Result, of id: String) {
        world.withLock { world in
            guard let index = world.notifications.firstIndex(where: { $0.id == id }) else { return }
            world.notifications[index].attempts.append(NotificationAttempt(date: world.clock.now, result: result))
        }
    }

    func consumeFault(for target: InjectedFault.Target, in environment: AppStoreEnvironment) -> InjectedFault? {
        world.withLock { world in
            guard let index = world.faults.firstIndex(where: { $0.isFor(target, in: environment) }) else { return nil }
            let fault = world.faults[index]
            if let times = fault.times {
                world.faults[index].times = times - 1
                if times <= 1 { world.faults.remove(at: index) }
            }
            return fault
        }
    }

    private func bringUpToDate(_ world: inout AppStoreWorld) {
        if world.isDue { world.advance(signer: signer) }
    }
}

/// The customers, to be found by name and by every identifier of theirs, however many there are.
struct CustomerList: Sendable {
    /// The customers, in the order in which they were added.
    private(set) var all: [StoreCustomer] = []
    /// The first moment at which a subscription renews or ends; earlier when something has changed since it was found.
    private(set) var nextChange = Timestamp(millisecondsSince1970: .min)

    private var names: [String: Int] = [:]
    private var owners: [String: Int] = [:]

    mutating func add(_ customer: StoreCustomer) {
        names[customer.name] = all.count
        owners[customer.appTransactionId] = all.count
        for transaction in customer.transactions { owners[transaction.transactionId] = all.count }
        all.append(customer)
    }

    func index(named name: String) -> Int? { names[name] }

    /// By the identifier of a transaction, or of the download of the app.
    func index(owning id: String) -> Int? { owners[id] }

    /// Puts a subscription in the place of one, or behind the others.
    mutating func set(_ subscription: StoreSubscription, at position: Int?, of index: Int) {
        if let position {
            all[index].subscriptions[position] = subscription
        } else {
            all[index].subscriptions.append(subscription)
        }
        for transaction in subscription.transactions { owners[transaction.transactionId] = index }
        nextChange = Timestamp(millisecondsSince1970: .min)
    }

    /// Finds out at which moment something happens next.
    mutating func findNextChange(in apps: [StoreApp]) {
        let moments = all.lazy.flatMap { customer in
            guard let app = apps.first(where: { $0.bundleId == customer.bundleId }) else { return [Timestamp]() }
            return customer.subscriptions.compactMap { $0.nextChange(in: app) }
        }
        nextChange = moments.min() ?? Timestamp(millisecondsSince1970: .max)
    }
}

/// The reason why the simulator cannot start, or cannot go on.
package struct SimulatorFault: Error, Equatable, CustomStringConvertible {
    /// The fault in one line: where it is, what is wrong and what would be right.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
