import HTTPTypes
import NIOHTTP1

/// The page for operators: HTML, a style sheet, scripts, an icon, each a file beside this one, their data as JSON, and the
/// calls of its forms.
package enum OperatorsPage {
    /// The scripts by their paths: the first begins the page, and imports the others.
    static let scripts = [
        ("/page.js", PackageResources.page_js), ("/elements.js", PackageResources.elements_js),
        ("/charts.js", PackageResources.charts_js), ("/overview.js", PackageResources.overview_js),
        ("/views.js", PackageResources.views_js), ("/offers.js", PackageResources.offers_js),
        ("/forms.js", PackageResources.forms_js),
    ]

    /// The calls of the page; `overview` is called for each answer of `/overview.json`.
    package static func calls(overview: @escaping @Sendable () async -> [UInt8]) -> [Call] {
        let data = fields(type: "application/json", caching: "no-store")
        return [
            file("/", "text/html; charset=utf-8", PackageResources.page_html),
            file("/page.css", "text/css; charset=utf-8", PackageResources.page_css),
            file("/icon.svg", "image/svg+xml", PackageResources.icon_svg),
            Call(.GET, "/overview.json", isOfPage: true) { _ in Reply(200, data, await overview()) },
            // Nothing of it is counted, recorded or learnt: the page has endpoints of its own.
            Call(
                .POST,
                "/try",
                scope: .eligibility,
                body: .large,
                isOfPage: true,
                .customer(.trial, explaining: true)
            ),
            Call(
                .POST,
                "/diagnose",
                scope: .diagnose,
                isOfPage: true,
                .alone { (endpoints, request, client) throws(Problem) in try endpoints.diagnosis(request, client) }
            ),
        ] + scripts.map { file($0, "text/javascript; charset=utf-8", $1) }
    }

    private static func file(_ path: String, _ type: String, _ bytes: [UInt8]) -> Call {
        // A later version has other files at the same paths.
        let fields = fields(type: type, caching: "no-cache")
        return Call(.GET, path, isOfPage: true) { _ in Reply(200, fields, bytes) }
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
