import Offers

@testable import AppStore

extension OutgoingRequest {
    /// A request of an app that does not matter.
    init(
        to host: String,
        path: String = "",
        method: Method = .get,
        environment: AppStoreEnvironment = .production,
        bundleId: String = "b",
        bearerToken: String? = nil,
        body: [UInt8]? = nil
    ) {
        self.init(
            method: method,
            service: .serverAPI,
            host: host,
            path: path,
            bundleId: bundleId,
            environment: environment,
            bearerToken: bearerToken,
            body: body
        )
    }
}
