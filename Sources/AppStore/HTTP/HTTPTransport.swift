import Offers

/// Sends requests to Apple's services.
package protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status; redirects are not followed.
    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse

    func shutdown() async
}

/// A request to one of Apple's services.
package struct OutgoingRequest: Sendable {
    /// The methods that Apple's services take.
    package enum Method: String, CaseIterable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    let method: Method
    let service: AppStoreService
    /// The service's address.
    let host: String
    /// The path that is added to it; empty for none.
    var path = ""
    /// The app in whose name it is sent.
    let bundleId: String
    let environment: AppStoreEnvironment
    /// `Authorization`, without its scheme, which is Bearer; `nil` for none.
    var bearerToken: String?
    /// The body; `nil` for none.
    var body: [UInt8]?
    var contentType = "application/json"
    /// The question that it is a call of; `nil` for a call by itself.
    var turn: QuestionTurn?
    /// Whether an answer says that the service is down, so that it is better left alone for a while.
    var isOutage: @Sendable (IncomingResponse) -> Bool = { $0.status >= 500 }
    /// The fault in an answer of HTTP 200, by its number at Apple; `nil` for none.
    var fault: @Sendable (IncomingResponse) -> String? = { _ in nil }

    var url: String { host + path }
}

package struct IncomingResponse: Sendable {
    let status: Int
    /// `Retry-After` as it was sent.
    var retryAfter: String?
    /// `Date`: Apple's clock when it answered.
    var date: Timestamp?
    let body: [UInt8]
}

extension IncomingResponse {
    /// The difference of a clock from the answer's, in a sentence; `nil` where the two show the same time.
    func clockFault(at now: Timestamp) -> String? {
        guard let date else { return nil }
        let seconds = (now.millisecondsSince1970 - date.millisecondsSince1970) / 1000
        guard abs(seconds) > ClockSkew.toleratedSeconds else { return nil }
        let direction = seconds > 0 ? "ahead of" : "behind"
        return "this machine's clock is \(abs(seconds)) seconds \(direction) Apple's; set it right"
    }
}

extension Timestamp {
    /// Reads a date of HTTP (RFC 9110 §5.6.7) in the form that is sent: `Sun, 06 Nov 1994 08:49:37 GMT`.
    init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[5] == "GMT", let day = Int64(parts[1]), let year = Int64(parts[3]),
            (1...9999).contains(year), let month = months.firstIndex(of: String(parts[2])),
            let date = CivilDate(year: year, month: Int64(month) + 1, day: day)
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap { Int64($0) }
        guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
        self.init(millisecondsSince1970: seconds * 1000)
    }
}

extension AsyncHTTPTransport {
    /// Asks for Apple's clock alone: any service that answers has it in its `Date`, whatever else it says.
    ///
    /// By a connection of its own, which need not lead to the server that the last answer came from.
    package func askClock(of urls: AppStoreURLs, timeout: Duration = .seconds(5)) async {
        let doubt = clock?.doubt
        let hosts: [(AppStoreService, AppStoreEnvironment, String)] = [
            (.serverAPI, .production, urls.serverAPI), (.serverAPI, .sandbox, urls.sandboxServerAPI),
            (.verifyReceipt, .production, urls.verifyReceipt), (.verifyReceipt, .sandbox, urls.sandboxVerifyReceipt),
        ]
        let transport = AsyncHTTPTransport()
        for (service, environment, host) in hosts {
            let request = OutgoingRequest(
                method: .get,
                service: service,
                host: host,
                bundleId: "",
                environment: environment
            )
            guard let date = try? await transport.send(request, timeout: timeout).date else { continue }
            clock?.observe(.fetched(date, about: doubt))
            break
        }
        await transport.shutdown()
    }
}

/// Why nothing came back.
package enum TransportFault: Error, Equatable, Sendable {
    /// A call that was made has no answer, with what the system or the library says of it.
    case failed(CallFailure, detail: String? = nil)
    /// The request was not sent: the host was down just now, or has been asked too much. Ask again after that time.
    case heldBack(by: AppStoreMetrics.Restraint, seconds: Int)

    static let timeout = failed(.timeout)
    static let connection = failed(.connection)
    static let tooLarge = failed(.tooLarge)
}

extension TransportFault {
    /// The fault in words, for who asked that service by a command.
    func sentence(about service: String) -> String {
        switch self {
        case .failed(let failure, let detail):
            let sentence =
                switch failure {
                case .name: "\(service)'s name has no address"
                case .connection: "\(service) cannot be reached"
                case .tls: "TLS with \(service) was not agreed on"
                case .timeout: "\(service) did not answer in time; try again"
                case .notHTTP: "\(service)'s answer is not HTTP"
                case .tooLarge: "\(service)'s answer is too large to be one"
                }
            return detail.map { "\(sentence) (\($0))" } ?? sentence
        case .heldBack(_, let seconds): return "\(service) is not asked now; try again in \(seconds) s"
        }
    }
}

/// Why a call has no answer; the raw values are those of the label `status` of `offer_signer_app_store_calls_total`.
package enum CallFailure: String, CaseIterable, Sendable {
    /// The host's name has no address.
    case name
    /// There was no connection, or it broke.
    case connection
    /// TLS was not agreed on: for example, the certificate is not trusted.
    case tls
    /// There was no answer in time.
    case timeout
    /// The answer is not HTTP.
    case notHTTP = "not_http"
    /// The answer is larger than any that makes sense.
    case tooLarge = "too_large"
}

/// The services of Apple that are asked about customers.
enum AppStoreService: String, CaseIterable, Hashable, Sendable {
    case verifyReceipt
    case serverAPI
    /// The Server API's calls about notifications, which nobody's request waits for.
    case notificationHistory
}

/// Where Apple's services are: each in production and in the Sandbox.
package struct AppStoreURLs: Sendable {
    package let verifyReceipt: String
    package let sandboxVerifyReceipt: String
    package let serverAPI: String
    package let sandboxServerAPI: String

    /// Addresses with `https`, or with `http` to this machine.
    package init(verifyReceipt: String, sandboxVerifyReceipt: String, serverAPI: String, sandboxServerAPI: String) {
        self.verifyReceipt = verifyReceipt
        self.sandboxVerifyReceipt = sandboxVerifyReceipt
        self.serverAPI = Self.withoutSlash(serverAPI)
        self.sandboxServerAPI = Self.withoutSlash(sandboxServerAPI)
    }

    func verifyReceipt(in environment: AppStoreEnvironment) -> String {
        environment == .production ? verifyReceipt : sandboxVerifyReceipt
    }

    func serverAPI(in environment: AppStoreEnvironment) -> String {
        environment == .production ? serverAPI : sandboxServerAPI
    }

    private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}
