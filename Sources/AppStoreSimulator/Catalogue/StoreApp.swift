import Crypto
import Foundation

/// An app as the App Store knows it.
struct StoreApp: Sendable {
    /// The bundle identifier.
    let bundleId: String
    /// The app's Apple id.
    let appAppleId: Int64
    /// The shared secret that verifyReceipt asks for; `nil` asks for none.
    let sharedSecret: String?
    /// The issuer id that tokens must name; `nil` takes any.
    let issuerId: String?
    /// How long the billing grace period is, in days; 0 for none.
    let gracePeriodDays: Int
    /// ISO 4217 code of the prices.
    let currency: String
    /// The products, of all subscription groups.
    let products: [StoreProduct]
    /// The public keys of the app's signing keys, by key id.
    ///
    /// The simulator never sees a private one.
    var keys: [String: P256.Signing.PublicKey]
    /// Where notifications are sent.
    var notificationURL: URL?

    /// Looks a product up.
    ///
    /// - Parameter id: The product's identifier.
    /// - Returns: The product; `nil` when the app has none of that name.
    func product(_ id: String) -> StoreProduct? { products.first { $0.id == id } }

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
