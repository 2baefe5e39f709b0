/// Where the evidence is from.
public enum AppStoreEnvironment: String, Codable, Sendable {
    /// The App Store.
    case production = "Production"
    /// The Sandbox: TestFlight and App Review too.
    case sandbox = "Sandbox"
}
