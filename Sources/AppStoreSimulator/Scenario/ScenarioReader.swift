import Crypto
import Foundation
import Offers

/// Reads the apps of `app-store.yaml`, strictly: an unknown key or a malformed value is a fault.
struct ScenarioReader {
    /// What paths are relative to.
    let directory: URL

    /// Reads the whole file.
    ///
    /// - Parameter root: Its root.
    /// - Returns: The App Store's state.
    /// - Throws: `SimulatorFault` with the first fault.
    func world(_ root: ScenarioNode) throws(SimulatorFault) -> AppStoreWorld {
        let file = try root.mapping("clock", "apps", "customers")
        var clock = SimulatedClock()
        if let node = file["clock"] {
            let moment = try node.value("a moment such as 2026-01-20T10:00:00Z") { Timestamp(rfc3339: $0) }
            guard clock.set(to: moment) else { throw node.fault("is out of range; the clock goes from 2020 to 2040") }
        }
        var apps: [StoreApp] = []
        for node in try file.required("apps").list() {
            let app = try self.app(node)
            guard !apps.contains(where: { $0.bundleId == app.bundleId }) else {
                throw node.fault("has the bundleId of another app")
            }
            apps.append(app)
        }
        var world = AppStoreWorld(clock: clock, apps: apps, numbers: TransactionNumbers())
        for node in try file.list("customers") { try addCustomer(node, to: &world) }
        return world
    }

    private func app(_ node: ScenarioNode) throws(SimulatorFault) -> StoreApp {
        let app = try node.mapping(
            "bundleId",
            "appAppleId",
            "sharedSecret",
            "issuerId",
            "keys",
            "gracePeriodDays",
            "currency",
            "notificationURL",
            "subscriptionGroups"
        )
        var keys: [String: P256.Signing.PublicKey] = [:]
        for node in try app.list("keys") {
            let (id, key) = try self.key(node)
            keys[id] = key
        }
        var products: [StoreProduct] = []
        for node in try app.required("subscriptionGroups").list() {
            let group = try node.mapping("id", "products")
            let groupId = try group.required("id").text()
            for node in try group.required("products").list() {
                let product = try self.product(node, groupId)
                guard !products.contains(where: { $0.id == product.id }) else {
                    throw node.fault("has the id of another product")
                }
                products.append(product)
            }
        }
        return StoreApp(
            bundleId: try app.required("bundleId").text(),
            appAppleId: try app["appAppleId"]?.integer(1...Int64.max) ?? 1_234_567_890,
            sharedSecret: try app["sharedSecret"]?.text(),
            issuerId: try app["issuerId"]?.text(),
            gracePeriodDays: Int(try app["gracePeriodDays"]?.integer(0...28) ?? 16),
            currency: try app["currency"]?.text() ?? "USD",
            products: products,
            keys: keys,
            notificationURL: try app["notificationURL"]?.value("an http or https address") { text in
                StoreApp.notificationURL(text)
            }
        )
    }

    private func key(_ node: ScenarioNode) throws(SimulatorFault) -> (String, P256.Signing.PublicKey) {
        let key = try node.mapping("id", "publicKey", "publicKeyFile")
        let id = try key.required("id").text()
        let needed = "a P-256 public key in PEM (openssl pkey -in SubscriptionKey_\(id).p8 -pubout)"
        if let node = key["publicKey"] {
            return (id, try node.value(needed) { try? P256.Signing.PublicKey(pemRepresentation: $0) })
        }
        let file = try key.required("publicKeyFile")
        let path = try file.text()
        let url = URL(filePath: path, relativeTo: directory.appending(path: "."))
        guard let data = FileManager.default.contents(atPath: url.path) else {
            throw file.fault("names \(path), which cannot be read; \(needed) is needed there")
        }
        guard let value = try? P256.Signing.PublicKey(pemRepresentation: String(decoding: data, as: UTF8.self)) else {
            throw file.fault("names \(path), which is something else; \(needed) is needed there")
        }
        return (id, value)
    }
}

extension StoreApp {
    /// Reads the address that notifications go to.
    ///
    /// - Parameter text: The address.
    /// - Returns: `nil` unless it is one of http or https, with a port that exists: the HTTP client ends the process over
    ///   one that is too large, and takes the scheme's for one that no Int holds.
    static func notificationURL(_ text: String) -> URL? {
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false, parts.rangeOfPort == nil || (1...65_535).contains(parts.port ?? 0)
        else {
            return nil
        }
        return parts.url
    }
}
