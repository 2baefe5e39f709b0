import HTTPTypes
import Hummingbird
import NIOHTTP1

/// The page for operators: HTML, a style sheet, a script, an icon, each a file beside this one, and their data as JSON.
package struct OperatorsPage: Sendable {
    /// The paths that it answers, beside ``Call/ofPage``.
    static let methods: [String: HTTPMethod] = [
        "/": .GET, "/page.css": .GET, "/page.js": .GET, "/icon.svg": .GET, "/overview.json": .GET,
    ]

    private let overview: @Sendable () async -> [UInt8]

    /// Creates the page; `overview` is called for each answer of `/overview.json`.
    package init(overview: @escaping @Sendable () async -> [UInt8]) {
        self.overview = overview
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        let files: [(path: RouterPath, type: String, bytes: [UInt8])] = [
            ("/", "text/html; charset=utf-8", PackageResources.page_html),
            ("/page.css", "text/css; charset=utf-8", PackageResources.page_css),
            ("/page.js", "text/javascript; charset=utf-8", PackageResources.page_js),
            ("/icon.svg", "image/svg+xml", PackageResources.icon_svg),
        ]
        for file in files {
            // A later version has other files at the same paths.
            let fields = Self.fields(type: file.type, caching: "no-cache")
            router.get(file.path) { _, _ in Response(status: .ok, headers: fields, bytes: file.bytes) }
        }
        let fields = Self.fields(type: "application/json", caching: "no-store")
        router.get("/overview.json") { [overview] _, _ in
            Response(status: .ok, headers: fields, bytes: await overview())
        }
    }

    /// The header fields that keep other pages from using this one, and this one from loading anything else.
    private static func fields(type: String, caching: String) -> HTTPFields {
        var fields: HTTPFields = [.contentType: type, .cacheControl: caching]
        for (name, value) in [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
            ),
            ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }
}

extension RequestHead {
    /// Whether a page of another origin asks (RFC 6454 §7): its address is not the requested host, or no host is known.
    ///
    /// The scheme may differ where a proxy speaks TLS. Programs other than browsers name no origin.
    var isFromForeignOrigin: Bool {
        let origins = sent.headers["Origin"]
        guard let origin = origins.first else { return false }
        let parts = origin.lowercased().split(separator: "://", maxSplits: 1)
        guard origins.count == 1, parts.count == 2, ["http", "https"].contains(parts[0]) else { return true }
        return host?.lowercased() != String(parts[1])
    }
}
