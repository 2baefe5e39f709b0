import HTTPTypes
import NIOHTTP1
import StrictJSON

/// The calls of operators and monitoring: never on the public listener.
package enum AdminAPI {
    /// Probes' paths always have places: an orchestrator decides by them whether to end the service or to call it.
    static let probes: Set<String> = ["/livez", "/readyz"]
    /// The header fields that keep pages of other origins from using any answer of the operators' listener.
    static let protection: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// The calls of monitoring; `metrics` is called for each answer.
    package static func calls(
        readiness: Readiness,
        metrics: @escaping @Sendable () -> (contentType: String, bytes: [UInt8]),
        version: String
    ) -> [Call] {
        let json: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        return [
            Call(.GET, "/livez") { _ in Reply(200, json, Array(#"{"status":"alive"}"#.utf8)) },
            Call(.GET, "/metrics") { _ in
                let page = metrics()
                return Reply(200, [.contentType: page.contentType, .cacheControl: "no-store"], page.bytes)
            },
            Call(.GET, "/readyz") { _ in
                let (isReady, bytes) = readiness.answer()
                return Reply(isReady ? 200 : 503, json, bytes)
            },
            Call(.GET, "/version") { _ in
                Reply(200, json, JSONWriter.text { $0.member("version", version) })
            },
        ]
    }
}
