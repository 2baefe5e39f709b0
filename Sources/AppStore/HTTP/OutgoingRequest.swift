import Offers

/// A request to one of Apple's services.
struct OutgoingRequest: Sendable {
    /// GET or POST.
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// The method.
    let method: Method
    /// The service that is asked.
    let service: AppStoreService
    /// The service's address.
    let host: String
    /// The path that is added to it; empty for none.
    var path = ""
    /// The app in whose name it is sent.
    let bundleId: String
    /// The environment that is asked.
    let environment: AppStoreEnvironment
    /// `Authorization`, without its scheme, which is Bearer; `nil` for none.
    var bearerToken: String?
    /// The body, JSON; `nil` for none.
    var body: [UInt8]?
    /// Whether an answer says that the service is down, so that it is better left alone for a while.
    var isOutage: @Sendable (IncomingResponse) -> Bool = { $0.status >= 500 }

    /// The whole address.
    var url: String { host + path }
}
