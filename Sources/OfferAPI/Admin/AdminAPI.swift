import HTTPTypes
package import Hummingbird
package import Logging
import NIOHTTP1
import StrictJSON

/// The routes for operators: never on the public listener.
package enum AdminAPI {
    /// The paths that it answers, each with its method.
    static let methods: [String: HTTPMethod] = [
        "/livez": .GET, "/readyz": .GET, "/metrics": .GET, "/version": .GET,
    ]

    /// Probes' paths always have places: an orchestrator decides by them whether to end the service or to call it.
    static let probes: Set<String> = ["/livez", "/readyz"]
    /// The header fields that keep pages of other origins from using any answer of the operators' listener.
    static let protection: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Builds the admin listener's responder; `metrics` is called for each answer, and `logger` gets unforeseen errors.
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

/// The answer of `/metrics`.
package struct MetricsPage: Sendable {
    package let contentType: String
    package let bytes: [UInt8]

    package init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }
}
