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

/// What came back.
struct IncomingResponse: Sendable {
    /// The HTTP status code.
    let status: Int
    /// `Retry-After` as it was sent.
    var retryAfter: String?
    /// The body.
    let body: [UInt8]
}

/// Why nothing came back.
enum TransportFault: Error, Equatable, Sendable {
    /// There was no answer in time.
    case timeout
    /// There was no connection, it broke, or what came was no HTTP.
    case connection
    /// The answer is larger than any that makes sense.
    case tooLarge
    /// Nothing was sent: the service was down just now, or has been asked too much; ask again after that time.
    case heldBack(seconds: Int)
}

/// Sends requests to Apple's services.
protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: How long all of it may take.
    /// - Returns: The answer, whatever its status; redirects are not followed.
    /// - Throws: ``TransportFault`` when there is none.
    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse

    /// Closes the connections.
    func shutdown() async
}
