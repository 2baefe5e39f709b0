import Crypto
import Foundation
import Offers

/// The team in App Store Connect: its apps, who may ask, and how often.
struct ConnectTeam: Sendable {
    /// The resources that a path leads to.
    struct Place: Sendable {
        let type: String
        let isList: Bool
        var resources: [ConnectResource]
        /// Whether it names resources alone, as `relationships/…` does.
        var isLinkage = false
    }

    /// How far ahead of now a token may end, in seconds.
    private static let maximumLifetime: Int64 = 1200
    /// The roles that may read subscriptions, by Apple's names.
    private static let readers: Set<String> = ["ADMIN", "APP_MANAGER", "DEVELOPER", "MARKETING"]

    private var settings = Scenario.Connect()
    private var publicKeys: [String: P256.Signing.PublicKey] = [:]
    private var places: [String: Place] = [:]
    private var used: [String: Int] = [:]
    private var hour: Int64 = 0

    /// A team that nobody may ask about.
    init() {}

    init(_ settings: Scenario.Connect, of apps: [Scenario.App], in directory: URL) throws(SimulatorFault) {
        self.settings = settings
        for key in settings.keys ?? [] { publicKeys[key.id] = try key.value(in: directory) }
        guard pageSize > 0 else { throw SimulatorFault("appStoreConnect has a pageSize of 1 or more") }
        add(apps.map(\.connectResource), of: "apps", at: "/v1/apps")
        let territories = places.values.filter { $0.type == "territories" }.flatMap(\.resources)
        let known = Dictionary(territories.map { ($0.id, $0) }) { first, _ in first }
        add(known.values.sorted { $0.id < $1.id }, of: "territories", at: "/v1/territories")
    }

    private mutating func add(_ resources: [ConnectResource], of type: String, at path: String, isList: Bool = true) {
        if isList || !resources.isEmpty { places[path] = Place(type: type, isList: isList, resources: resources) }
        for resource in resources {
            let path = "/v1/\(type)/\(resource.id)"
            places[path] = Place(type: type, isList: false, resources: [resource])
            for (name, related) in ConnectResource.types[type]?.relations ?? [:] {
                let isList = !ConnectResource.toOne.contains(name)
                add(resource.related[name] ?? [], of: related, at: "\(path)/\(name)", isList: isList)
            }
        }
    }

    /// How many resources a page or an included list has at most, beside Apple's own bounds.
    var pageSize: Int { settings.pageSize ?? .max }

    /// Whether a path is that of all resources of a type.
    static func isType(_ path: String) -> Bool {
        ConnectResource.types.keys.contains { path == "/v1/\($0)" }
    }

    /// The prices of other territories that go with one: a product has one price everywhere.
    private func equalizations(of id: String) -> Place? {
        guard places["/v1/subscriptionPricePoints/\(id)"] != nil,
            var points = places["/v1/subscriptions/\(id.prefix { $0 != "-" })/pricePoints"]
        else { return nil }
        points.resources.removeAll { $0.id == id }
        return points
    }

    func place(_ path: String) throws(ConnectError) -> Place {
        if let place = places[path] { return place }
        var parts = path.split(separator: "/").map(String.init)
        if parts.count == 4, parts[0] == "v1", parts[1] == "subscriptionPricePoints", parts[3] == "equalizations" {
            guard let place = equalizations(of: parts[2]) else { throw .notFound }
            return place
        }
        if parts.count == 5, parts[3] == "relationships" {
            parts.remove(at: 3)
            if var place = places["/" + parts.joined(separator: "/")] {
                place.isLinkage = true
                return place
            }
        }
        let relations = parts.count > 2 && parts[0] == "v1" ? ConnectResource.types[parts[1]]?.relations : nil
        throw relations != nil && parts.dropFirst(3).allSatisfy { relations?[$0] != nil } ? .notFound : .noPath
    }

    /// Finds a token's key; `nil` where Apple answers 401, which says nothing of the reason.
    func key(named authorization: String, at now: Timestamp) -> Scenario.Key? {
        let seconds = now.millisecondsSince1970 / 1000
        guard authorization.hasPrefix("Bearer "), let jws = ES256JWS(String(authorization.dropFirst(7))),
            let key = settings.keys?.first(where: { $0.id == jws.keyIdentifier }),
            let publicKey = publicKeys[key.id], jws.isSigned(by: publicKey),
            jws.string("aud") == "appstoreconnect-v1", jws.claims["bid"] == nil,
            let expires = jws.integer("exp"), expires > seconds, expires <= seconds + Self.maximumLifetime
        else { return nil }
        if jws.claims["iat"] != nil {
            guard let issued = jws.integer("iat"), issued <= seconds else { return nil }
        }
        let issuer = jws.string("iss")
        let isRight =
            key.individual == true
            ? jws.claims["iss"] == nil && jws.string("sub") == "user"
            : issuer != nil && issuer == settings.issuerId ?? issuer
        return isRight ? key : nil
    }

    /// Counts a request of a key in this hour; gives the header of every answer, and why a request is refused.
    mutating func admit(_ key: Scenario.Key, at now: Timestamp) -> (limit: String, refusal: ConnectError?) {
        let hour = now.millisecondsSince1970 / 3_600_000
        if hour != self.hour { (self.hour, used) = (hour, [:]) }
        used[key.id, default: 0] += 1
        let most = settings.requestsPerHour ?? 3600
        let left = most - used[key.id, default: 0]
        let mayRead = Self.readers.contains(key.role ?? "APP_MANAGER")
        let refusal: ConnectError? =
            left < 0
            ? .limitExceeded : settings.agreementMissing == true ? .agreementMissing : mayRead ? nil : .forbidden
        return ("user-hour-lim:\(most);user-hour-rem:\(max(left, 0));", refusal)
    }
}
