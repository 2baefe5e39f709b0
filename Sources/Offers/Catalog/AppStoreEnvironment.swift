/// Where a purchase was made, as `environment` of Apple's answers and signed data says.
public enum AppStoreEnvironment: String, CaseIterable, Sendable {
    /// The App Store itself.
    case production = "Production"
    /// The sandbox, which TestFlight and App Review use too.
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode: signed by Xcode, not by Apple.
    case xcode = "Xcode"
    /// Local StoreKit testing outside Xcode: not signed by Apple either.
    case localTesting = "LocalTesting"
}
