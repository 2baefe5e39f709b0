public import Offers

/// An app as Apple's side of the service knows it: by what it is asked about, and in whose name.
public struct AppStoreApp: Sendable {
    /// The bundle identifier.
    public let bundleId: String
    /// The app's Apple ID; `nil` when the catalog does not say.
    public let appAppleId: Int64?
    /// The environments whose evidence counts.
    public let environments: Set<AppStoreEnvironment>
    /// The secret for verifyReceipt; `nil` when there is none.
    public let sharedSecret: SharedSecret?

    /// Creates an app.
    ///
    /// - Parameters:
    ///   - bundleId: The bundle identifier.
    ///   - appAppleId: The app's Apple ID.
    ///   - environments: The environments whose evidence counts.
    ///   - sharedSecret: The secret for verifyReceipt.
    public init(
        bundleId: String,
        appAppleId: Int64? = nil,
        environments: Set<AppStoreEnvironment>,
        sharedSecret: SharedSecret? = nil
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
        self.sharedSecret = sharedSecret
    }

    /// The environment that is asked first: production, as Apple asks for, unless its customers do not count.
    var firstEnvironment: AppStoreEnvironment {
        environments.contains(.production) || !environments.contains(.sandbox) ? .production : .sandbox
    }
}
