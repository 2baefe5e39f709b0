/// Where the evidence is from.
public enum AppStoreEnvironment: String, Codable, Sendable {
    /// The App Store.
    case production = "Production"
    /// The Sandbox: TestFlight and App Review too.
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode.
    case xcode = "Xcode"
    /// StoreKit testing elsewhere.
    case localTesting = "LocalTesting"
}
