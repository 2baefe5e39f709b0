/// Where the evidence is from.
///
/// Not an enumeration: no answer is to be lost because Apple comes to have more of them.
public struct AppStoreEnvironment: RawRepresentable, Codable, Hashable, Sendable {
    /// The App Store.
    public static let production = AppStoreEnvironment(rawValue: "Production")
    /// The Sandbox: TestFlight and App Review too.
    public static let sandbox = AppStoreEnvironment(rawValue: "Sandbox")
    /// StoreKit testing in Xcode.
    public static let xcode = AppStoreEnvironment(rawValue: "Xcode")
    /// StoreKit testing elsewhere.
    public static let localTesting = AppStoreEnvironment(rawValue: "LocalTesting")

    /// The environment as Apple writes it.
    public let rawValue: String

    /// Creates an environment.
    ///
    /// - Parameter rawValue: The environment as Apple writes it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
