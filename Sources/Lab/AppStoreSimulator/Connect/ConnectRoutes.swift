import Foundation
import HTTPTypes
import Hummingbird
import Offers

/// The routes of the App Store Connect API that read subscriptions and their offers.
struct ConnectRoutes {
    let store: SimulatedAppStore

    func add(to router: some RouterMethods<SimulatorContext>) {
        for version in ["v1", "v2"] {
            let paths = router.group(RouterPath(version))
                .add(middleware: FaultMiddleware(store: store, target: .appStoreConnect, environment: .production))
            for method in [HTTPRequest.Method.get, .post, .patch, .put, .delete] {
                paths.on("**", method: method) { request, _ in try answer(request) }
            }
        }
    }

    private func answer(_ request: Request) throws -> Response {
        let now = SimulatedClock.machine
        let team = store.current().connect
        var limit: String?
        var answer: (status: Int, json: [String: Any])
        do throws(ConnectError) {
            let key = team.key(named: request.headers[.authorization] ?? "", at: now)
            guard let key else { throw .notAuthorized }
            let admission = store.change { $0.connect.admit(key, at: now) }
            limit = admission.limit
            if let refusal = admission.refusal { throw refusal }
            answer = (200, try document(request, of: team))
        } catch {
            answer = (error.status, error.json)
        }
        let json = try JSONSerialization.data(withJSONObject: answer.json)
        var response = Response.json(Array(json), status: .init(code: answer.status))
        if let name = HTTPField.Name("X-Rate-Limit") { response.headers[name] = limit }
        return response
    }

    private func document(_ request: Request, of team: ConnectTeam) throws(ConnectError) -> [String: Any] {
        let path = request.uri.path
        // New resources are posted to their type, also where it has no list to read.
        if request.method == .post, ConnectTeam.isType(path) { throw ConnectError.readOnly }
        let place = try team.place(path)
        guard request.method == .get else { throw ConnectError.readOnly }
        let query = try ConnectQuery(request.uri.query ?? "", of: place.type, pageSize: team.pageSize)
        return query.document(of: place, at: "http://\(request.head.authority ?? "127.0.0.1")", path: path)
    }
}

/// An error of the App Store Connect API.
struct ConnectError: Error {
    static let notAuthorized = ConnectError(401, "NOT_AUTHORIZED")
    static let forbidden = ConnectError(403, "FORBIDDEN_ERROR")
    /// Apple's word on an operation that a resource does not have; the stand-in has none but reading.
    static let readOnly = forbidden
    static let agreementMissing = ConnectError(403, "FORBIDDEN.REQUIRED_AGREEMENTS_MISSING_OR_EXPIRED")
    static let notFound = ConnectError(404, "NOT_FOUND")
    static let noPath = ConnectError(404, "PATH_ERROR")
    static let limitExceeded = ConnectError(429, "RATE_LIMIT_EXCEEDED")

    let status: Int
    let json: [String: [[String: any Sendable]]]

    private init(_ status: Int, _ code: String, parameter: String? = nil) {
        self.status = status
        let words = "Refused by the simulator."
        var error: [String: any Sendable] = ["status": "\(status)", "code": code, "title": words, "detail": words]
        error["source"] = parameter.map { ["parameter": $0] }
        json = ["errors": [error]]
    }

    static func illegal(_ name: String) -> ConnectError {
        ConnectError(400, "PARAMETER_ERROR.ILLEGAL", parameter: name)
    }

    static func invalid(_ name: String) -> ConnectError {
        ConnectError(400, "PARAMETER_ERROR.INVALID", parameter: name)
    }
}

/// The parameters of a request; one that Apple does not know is refused.
struct ConnectQuery {
    private static let mostPerPage = 200
    private static let mostPricePointsPerPage = 8000
    private static let mostIncluded = 50

    /// The values that an attribute or the resource of a relationship may have.
    private var filters: [String: [String]] = [:]
    /// The attributes by which it is sorted, each with whether it goes down.
    private var order: [(attribute: String, isDescending: Bool)] = []
    private var include: [String] = []
    /// The attributes and relationships that are wanted, by type.
    private var fields: [String: [String]] = [:]
    private var limits: [String: Int] = [:]
    /// The number of the page's first resource.
    private var start = 0
    private let pageSize: Int
    private let text: String

    /// `pageSize` bounds pages and included lists beside Apple's own bounds.
    init(_ text: String, of type: String, pageSize: Int) throws(ConnectError) {
        self.pageSize = pageSize
        let texts = text.split(separator: "&")
        self.text = texts.filter { !$0.hasPrefix("cursor=") }.joined(separator: "&")
        let relations = ConnectResource.types[type]?.relations ?? [:]
        for text in texts {
            let (start, end) = (text.prefix { $0 != "=" }, text.drop { $0 != "=" }.dropFirst())
            let (name, value) = (start.removingPercentEncoding ?? "", end.removingPercentEncoding ?? "")
            let inner = name.last == "]" ? String(name.drop { $0 != "[" }.dropFirst().dropLast()) : ""
            let values = value.split(separator: ",").map(String.init)
            switch name {
            case "include":
                guard values.allSatisfy({ relations[$0] != nil }) else { throw .invalid(name) }
                include = values
            case "limit", "limit[\(inner)]":
                guard inner.isEmpty || relations[inner] != nil else { throw .illegal(name) }
                let mostPerPage = type == "subscriptionPricePoints" ? Self.mostPricePointsPerPage : Self.mostPerPage
                let most = inner.isEmpty ? mostPerPage : Self.mostIncluded
                guard let number = Int(value), (1...most).contains(number) else { throw .invalid(name) }
                limits[inner] = number
            case "cursor":
                guard let start = Int(value.trimmingPrefix("AA.")), start >= 0 else { throw .invalid(name) }
                self.start = start
            case "fields[\(inner)]":
                guard let known = ConnectResource.types[inner] else { throw .illegal(name) }
                guard values.allSatisfy({ known.attributes.contains($0) || known.relations[$0] != nil }) else {
                    throw .invalid(name)
                }
                fields[inner] = values
            case "filter[\(inner)]":
                let known = ConnectResource.types[type]
                let isOne = ConnectResource.toOne.contains(inner) && relations[inner] != nil
                guard known?.attributes.contains(inner) == true || isOne else { throw .illegal(name) }
                guard !values.isEmpty else { throw .invalid(name) }
                filters[inner] = values.map { $0.lowercased() }
            case "sort":
                let known = ConnectResource.types[type]?.attributes ?? []
                order = values.map { ($0.hasPrefix("-") ? String($0.dropFirst()) : $0, $0.hasPrefix("-")) }
                guard !order.isEmpty, order.allSatisfy({ known.contains($0.attribute) }) else { throw .invalid(name) }
            default: throw .illegal(name)
            }
        }
    }

    /// How many resources a page has, or of a relationship come along.
    private func limit(_ relation: String = "") -> Int { min(limits[relation] ?? Self.mostIncluded, pageSize) }

    /// The document of one resource, or of a page of several.
    func document(of place: ConnectTeam.Place, at host: String, path: String) -> [String: Any] {
        let all = sorted(place.resources.filter(isWanted))
        let page = all.dropFirst(start).prefix(limit())
        let data = page.map { resource -> [String: Any] in
            place.isLinkage
                ? ["type": resource.type, "id": resource.id] : json(resource, including: include, at: host)
        }
        var document: [String: Any] = ["data": data]
        if !include.isEmpty {
            var known: Set<String> = []
            let along = include.flatMap { name in page.flatMap { ($0.related[name] ?? []).prefix(limit(name)) } }
            document["included"] = along.filter { known.insert("\($0.type) \($0.id)").inserted }
                .map { json($0, including: [], at: host) }
        }
        var links = ["self": "\(host)\(path)\(text.isEmpty ? "" : "?")\(text)"]
        let end = start + page.count
        if place.isList {
            if end < all.count { links["next"] = "\(host)\(path)?\(text)\(text.isEmpty ? "" : "&")cursor=AA.\(end)" }
            document["meta"] = Self.paging(all.count, limit())
        } else {
            document["data"] = data.first
        }
        document["links"] = links
        return document
    }

    /// A caller may not rely on a filter that is exact: letters of any case are one.
    private func isWanted(_ resource: ConnectResource) -> Bool {
        filters.allSatisfy { name, values in
            let own = resource.attributes[name].map { [$0.description] } ?? (resource.related[name] ?? []).map(\.id)
            return own.contains { values.contains($0.lowercased()) }
        }
    }

    private func sorted(_ resources: [ConnectResource]) -> [ConnectResource] {
        // Sorting is stable: the first attribute counts most.
        order.reversed().reduce(resources) { resources, place in
            resources.sorted { left, right in
                let texts = [left, right].map { $0.attributes[place.attribute]?.description ?? "" }
                return place.isDescending ? texts[0] > texts[1] : texts[0] < texts[1]
            }
        }
    }

    private static func paging(_ total: Int, _ limit: Int) -> [String: Any] {
        ["paging": ["total": total, "limit": limit]]
    }

    /// Related resources are named only where they are included.
    private func json(_ resource: ConnectResource, including included: [String], at host: String) -> [String: Any] {
        let place = "\(host)/v1/\(resource.type)/\(resource.id)"
        let wanted = fields[resource.type]
        var relationships: [String: Any] = [:]
        for (name, _) in ConnectResource.types[resource.type]?.relations ?? [:] where wanted?.contains(name) ?? true {
            var relation: [String: Any] = ["links": ["related": "\(place)/\(name)"]]
            if included.contains(name) {
                let all = resource.related[name] ?? []
                let names = all.prefix(limit(name)).map { ["type": $0.type, "id": $0.id] }
                let isOne = ConnectResource.toOne.contains(name)
                relation["data"] = isOne ? names.first : names
                relation["meta"] = isOne ? nil : Self.paging(all.count, limit(name))
            }
            relationships[name] = relation
        }
        return [
            "type": resource.type, "id": resource.id, "links": ["self": place],
            "attributes": resource.attributes.filter { wanted?.contains($0.key) ?? true },
            "relationships": relationships,
        ]
    }
}
