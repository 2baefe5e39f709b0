import HTTPTypes
package import Hummingbird
package import Logging
import NIOHTTP1
import StrictJSON

/// The routes for operators: never on the public listener.
package enum AdminAPI {
    /// The paths that it answers.
    static let methods: [String: HTTPMethod] = [
        "/livez": .GET, "/readyz": .GET, "/metrics": .GET, "/version": .GET,
    ]

    /// The paths by which something else judges whether to end or to ask the service: they always have places.
    static let probes: Set<String> = ["/livez", "/readyz"]
    /// What keeps pages of other origins from using an answer of the operators' listener, whatever it is.
    static let protection: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Builds the responder of the admin listener.
    ///
    /// - Parameters:
    ///   - readiness: What `/readyz` answers from.
    ///   - metrics: What `/metrics` answers; asked anew for each answer.
    ///   - version: The service's version.
    ///   - page: The page that operators look at; `nil` for none.
    ///   - logger: Where the service's own faults are logged.
    /// - Returns: The responder.
    package static func responder(
        readiness: Readiness,
        metrics: @escaping @Sendable () async -> MetricsPage,
        version: String,
        page: OperatorsPage?,
        logger: Logger
    ) -> some HTTPResponder<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: ProblemMiddleware(logger: logger))
        let json: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        router.get("/livez") { _, _ in
            Response(status: .ok, headers: json, bytes: Array(#"{"status":"alive"}"#.utf8))
        }
        router.get("/readyz") { _, _ in
            let (isReady, bytes) = readiness.answer()
            return Response(status: isReady ? .ok : .serviceUnavailable, headers: json, bytes: bytes)
        }
        router.get("/metrics") { _, _ in
            let page = await metrics()
            let headers: HTTPFields = [.contentType: page.contentType, .cacheControl: "no-store"]
            return Response(status: .ok, headers: headers, bytes: page.bytes)
        }
        router.get("/version") { _, _ in
            var writer = JSONWriter()
            writer.object { $0.member("version", version) }
            return Response(status: .ok, headers: json, bytes: writer.bytes)
        }
        page?.addRoutes(to: router)
        return router.buildResponder()
    }
}

/// What `/metrics` answers.
package struct MetricsPage: Sendable {
    /// The value of `Content-Type`.
    package let contentType: String
    /// The body.
    package let bytes: [UInt8]

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - contentType: The value of `Content-Type`.
    ///   - bytes: The body.
    package init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }
}
