import HTTPTypes
public import Hummingbird
public import Logging
import NIOCore

/// The routes that clients call.
public enum PublicAPI {
    /// The context of a request.
    public typealias Context = ServiceRequestContext

    /// The methods that each path takes.
    static let methods = Dictionary(uniqueKeysWithValues: PublicRoute.allCases.map { ($0.path, $0.allow) })

    /// Builds the responder of the public listener.
    ///
    /// - Parameters:
    ///   - endpoints: What the configuration in use answers with.
    ///   - metrics: Counts the requests.
    ///   - logger: Where requests have their lines, at the level info, and unforeseen errors.
    ///   - faults: Logs the service's own faults.
    /// - Returns: The responder.
    public static func responder(
        endpoints: @escaping @Sendable () -> PublicEndpoints,
        metrics: RequestMetrics = RequestMetrics(),
        logger: Logger,
        faults: RepeatedFaults
    ) -> some HTTPResponder<Context> {
        let router = Router(context: Context.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: IdentityMiddleware())
        let telemetry = RequestTelemetry(metrics: metrics, logger: logger, faults: faults)
        router.add(middleware: TelemetryMiddleware(telemetry: telemetry))
        router.add(middleware: ProblemMiddleware(methods: methods, logger: logger))
        func post(
            _ route: PublicRoute,
            _ endpoint:
                @escaping @Sendable (PublicEndpoints) -> some BodyEndpoint
        ) {
            router.post(RouterPath(route.path)) { request, context in
                let endpoints = endpoints()
                let (endpoint, clients) = (endpoint(endpoints), endpoints.clients)
                let client = context.trail.note(try endpoint.admit(RequestHead(request.head)))
                let body = try await body(of: request)
                return await answer(client, of: clients, telemetry) { () async throws(Problem) in
                    try await endpoint.answer(body, for: client)
                }
            }
        }
        post(.signatures) { $0.signatures }
        post(.eligibility) { $0.eligibility }
        post(.introductorySignatures) { $0.introductorySignatures }
        post(.diagnoses) { $0.diagnoses }
        router.post(RouterPath(PublicRoute.productReports.path)) { request, context in
            let endpoints = endpoints()
            let (endpoint, clients) = (endpoints.productReports, endpoints.clients)
            let client = context.trail.note(try endpoint.admitReport(RequestHead(request.head)))
            let body = try await body(of: request)
            return await answer(client, of: clients, telemetry, status: .accepted) { () async throws(Problem) in
                let parameters = try parameters(of: request, at: .productReports)
                return try await endpoint.take(body, parameters: parameters, for: client)
            }
        }
        router.get(RouterPath(PublicRoute.products.path)) { request, context in
            let endpoints = endpoints()
            let (endpoint, clients) = (endpoints.productReports, endpoints.clients)
            let client = context.trail.note(try endpoint.admitQuery(RequestHead(request.head)))
            return await answer(client, of: clients, telemetry) { () async throws(Problem) in
                try await endpoint.products(parameters: parameters(of: request, at: .products), for: client)
            }
        }
        router.get(RouterPath(PublicRoute.description.path)) { _, _ in
            guard let description = OpenAPIDescription.json else { throw Problem.internal }
            return Response(status: .ok, headers: [.contentType: "application/json"], bytes: description)
        }
        return router.buildResponder()
    }

    /// Reads a body, which the connection has found to be short enough.
    private static func body(of request: Request) async throws -> [UInt8] {
        Array(try await request.body.collect(upTo: .max).readableBytesView)
    }

    /// The parameters of a request's URL.
    private static func parameters(of request: Request, at route: PublicRoute) throws(Problem) -> QueryParameters {
        try QueryParameters(of: request.uri.string, names: route.parameters)
    }

    /// The response with an endpoint's answer, within what the client may have at once; the service's own faults are
    /// logged.
    private static func answer(
        _ client: Client,
        of clients: ClientDirectory,
        _ telemetry: RequestTelemetry,
        status: HTTPResponse.Status = .ok,
        _ endpoint: () async throws(Problem) -> [UInt8]
    ) async -> Response {
        var response: Response
        do throws(Problem) {
            try clients.begin(client)
            defer { clients.end(client) }
            response = Response(
                status: status,
                headers: [.contentType: "application/json"],
                bytes: try await endpoint()
            )
        } catch {
            telemetry.noteFault(error)
            response = Response(error)
        }
        response.headers.append(contentsOf: clients.rateLimitFields(of: client))
        return response
    }
}
