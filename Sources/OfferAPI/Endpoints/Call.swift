import NIOHTTP1
import OfferService
import Offers

/// A call of a listener: one row from which the gate, `Allow`, the metrics, the queue and the test of the description
/// follow.
package final class Call: Sendable {
    enum Handler: Sendable {
        /// A call about a customer: the calls of one tick take each step together.
        case customer(CustomerCall, explaining: Bool = false)
        /// A call that is answered by itself.
        case alone(@Sendable (PublicEndpoints, Request, Client) throws(Problem) -> Step<Reply, Problem>)
        /// A call without a token.
        case open(@Sendable () throws(Problem) -> Reply)
        /// A call of Apple or of operators, without a token: it is answered in a task.
        case inTask(@Sendable (_ body: [UInt8]) async throws(Problem) -> Reply)
    }

    enum Body {
        case small
        /// With evidence, or with many reports.
        case large
    }

    let method: HTTPMethod
    let path: String
    /// The scope that a client needs; `nil` for a call without a token.
    let scope: ClientScope?
    let body: Body
    /// The parameters that its URL may have; `nil` where nothing looks at them.
    let parameters: [String]?
    /// Whether it is of the operators' page, which is opened under known hosts alone, and by no page of another origin.
    let isOfPage: Bool
    let handler: Handler

    init(
        _ method: HTTPMethod,
        _ path: String,
        scope: ClientScope? = nil,
        body: Body = .small,
        parameters: [String]? = [],
        isOfPage: Bool = false,
        _ handler: Handler
    ) {
        self.method = method
        self.path = path
        self.scope = scope
        self.body = body
        self.parameters = parameters
        self.isOfPage = isOfPage
        self.handler = handler
    }

    /// A call of Apple or of operators.
    convenience init(
        _ method: HTTPMethod,
        _ path: String,
        isOfPage: Bool = false,
        inTask answer: @escaping @Sendable (_ body: [UInt8]) async throws(Problem) -> Reply
    ) {
        self.init(method, path, parameters: nil, isOfPage: isOfPage, .inTask(answer))
    }

    /// The calls of the public listener.
    static let all = [
        Call(.POST, "/v1/signatures", scope: .sign, body: .large, .customer(.signatures)),
        Call(.POST, "/v1/eligibility", scope: .eligibility, body: .large, .customer(.eligibility)),
        Call(
            .POST,
            "/v1/introductory-eligibility-signatures",
            scope: .sign,
            body: .large,
            .customer(.introductorySignatures)
        ),
        Call(
            .POST,
            "/v1/diagnoses",
            scope: .diagnose,
            .alone { (endpoints, request, client) throws(Problem) in try endpoints.diagnosis(request, client) }
        ),
        Call(
            .POST,
            "/v1/product-reports",
            scope: .report,
            body: .large,
            parameters: ["bundleId"],
            .alone { (endpoints, request, client) throws(Problem) in try endpoints.reports(request, client) }
        ),
        Call(
            .GET,
            "/v1/products",
            scope: .report,
            parameters: ["bundleId", "countryCode", "productId"],
            .alone { (endpoints, request, client) throws(Problem) in try endpoints.products(request, client) }
        ),
        Call(
            .GET,
            "/v1/redemptions",
            scope: .redemptions,
            parameters: ["bundleId", "after", "since", "limit", "wait"],
            .alone { (endpoints, request, client) throws(Problem) in try endpoints.redemptions(request, client) }
        ),
        Call(.GET, "/v1/openapi.json", .open { () throws(Problem) in try OpenAPIDescription.reply() }),
    ]

    /// Whether it signs, so that its answer waits for the ledger.
    var isForSignatures: Bool { scope == .sign }
}

extension [Call] {
    /// The call that a request is for, its target in origin or absolute form (RFC 9112 §3.2).
    func call(of head: RequestHead) -> Call? {
        // Nearly always the target is the path.
        if let call = first(where: { $0.path == head.target }) { return call }
        guard let path = head.path else { return nil }
        return first { $0.path == path }
    }
}
