import Crypto
import Foundation
import HTTPTypes
import Testing

@testable import AppStoreSimulator

@Suite("App Store Connect")
struct ConnectRoutesTests {
    private static let key = P256.Signing.PrivateKey()

    private func world(_ team: String = "") throws -> AppStoreWorld {
        let pem = Self.key.publicKey.pemRepresentation.split(separator: "\n").joined(separator: "\\n")
        let yaml = """
            appStoreConnect:
              issuerId: team
              \(team)
              keys:
                - { id: CONNECT1, publicKey: "\(pem)" }
                - { id: CONNECT2, publicKey: "\(pem)", individual: true }
                - { id: CONNECT3, publicKey: "\(pem)", role: FINANCE }
            apps:
              - bundleId: com.example.app
                name: Example
                appAppleId: 77
                keys: [{ id: KEY1, publicKey: "\(pem)" }]
                subscriptionGroups:
                  - id: "100"
                    name: Pro
                    products:
                      - id: monthly
                        level: 2
                        familySharable: true
                        winBackOffers: [{ id: back, endDate: 2026-05-31 }]
                        offerCodes: [coded]
                        introductoryOffer: { mode: freeTrial, period: P1W }
                        territories: [DEU, USA]
                        offers:
                          - { id: half, price: 4.99, periods: 2, territories: [USA] }
                          - { id: free, mode: freeTrial, period: P2W }
                          - { id: third }
                      - { id: yearly, period: P1Y, monthlyPrice: 9, offers: [{ id: months, billingPlanType: MONTHLY }] }
                  - { id: "200", products: [{ id: audio, state: REMOVED_FROM_SALE }] }
            """
        return try ScenarioFile(directory: FileManager.default.temporaryDirectory).world(yaml)
    }

    private func headers(
        _ id: String = "CONNECT1",
        _ change: [String: Any] = [:],
        without claim: String = "",
        key: P256.Signing.PrivateKey = key
    ) throws -> HTTPFields {
        let seconds = Int64(Date().timeIntervalSince1970)
        var claims: [String: Any] = [
            "iss": "team", "iat": seconds - 5, "exp": seconds + 600, "aud": "appstoreconnect-v1",
        ]
        claims.merge(change) { $1 }
        claims[claim] = nil
        let token = try TestStore.jws(claims, header: ["alg": "ES256", "kid": id, "typ": "JWT"], key: key)
        return [.authorization: "Bearer \(token)"]
    }

    private func code(_ answer: LiveClient.Answer) -> String? {
        (answer.json["errors"] as? [[String: Any]])?.first?["code"] as? String
    }

    private func ids(_ path: String, _ client: LiveClient) async throws -> [String] {
        let answer = try await client.get(path, try headers())
        #expect(answer.status == .ok, "\(path)")
        return (answer.json["data"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    @Test("A token of another key, issuer or time is 401, a role that may not read 403")
    func tokens() async throws {
        let seconds = Int64(Date().timeIntervalSince1970)
        try await TestStore.store(try world()).live { client in
            func status(_ headers: HTTPFields) async throws -> Int {
                try await client.get("/v1/apps", headers).status.code
            }
            #expect(try await status(try headers()) == 200)
            #expect(try await status(try headers("CONNECT2", ["sub": "user"], without: "iss")) == 200)
            // Without iat, and for 20 minutes from now, whenever it was made.
            #expect(try await status(try headers(without: "iat")) == 200)
            let long: [String: Any] = ["iat": seconds - 60, "exp": seconds + 1200]
            #expect(try await status(try headers("CONNECT1", long)) == 200)
            #expect(try await status(try headers("CONNECT2")) == 401)
            #expect(try await status(try headers("KEY1")) == 401)
            #expect(try await status(try headers(key: P256.Signing.PrivateKey())) == 401)
            for change in [
                ["iss": "other"], ["exp": seconds + 1300], ["exp": seconds - 1], ["aud": "x"],
                ["bid": "com.example.app"], ["iat": seconds + 600],
            ] as [[String: Any]] { #expect(try await status(try headers("CONNECT1", change)) == 401, "\(change)") }
            let forbidden = try await client.get("/v1/apps", try headers("CONNECT3"))
            #expect(forbidden.status == .forbidden && code(forbidden) == "FORBIDDEN_ERROR")
        }
    }

    @Test(
        "A parameter, a field or a path that Apple does not know is refused",
        arguments: [
            ("/v1/apps?include=offers", "PARAMETER_ERROR.INVALID"), ("/v1/apps?sort=x", "PARAMETER_ERROR.INVALID"),
            ("/v1/apps?filter%5Bname%5D=", "PARAMETER_ERROR.INVALID"),
            ("/v1/apps?filter%5Bx%5D=1", "PARAMETER_ERROR.ILLEGAL"), ("/v2/apps", "PATH_ERROR"),
            ("/v2/subscriptions/77100/prices", "PATH_ERROR"), ("/v1/apps/77/relationships/x", "PATH_ERROR"),
            ("/v1/apps?=", "PARAMETER_ERROR.ILLEGAL"), ("/v1/apps?cursor=-1", "PARAMETER_ERROR.INVALID"),
            ("/v1/apps?fields%5Bapps%5D=bundle", "PARAMETER_ERROR.INVALID"),
            ("/v1/apps?fields%5Bapp%5D=bundleId", "PARAMETER_ERROR.ILLEGAL"),
            ("/v1/apps?limit=201", "PARAMETER_ERROR.INVALID"),
            ("/v1/subscriptions/77100/promotionalOffers?limit%5Bprices%5D=51", "PARAMETER_ERROR.INVALID"),
            ("/v1/apps/78/subscriptionGroups", "NOT_FOUND"), ("/v1/apps/77/groups", "PATH_ERROR"),
            ("/v1/none", "PATH_ERROR"),
        ]
    )
    func refused(path: String, error: String) async throws {
        try await TestStore.store(try world()).live { client in
            let answer = try await client.get(path, try headers())
            #expect(code(answer) == error && [400, 404].contains(answer.status.code))
        }
    }

    @Test("Lists are filtered by one of several values, sorted, and named by their relationships")
    func queries() async throws {
        try await TestStore.store(try world()).live { client in
            func ids(_ path: String) async throws -> [String] { try await self.ids(path, client) }
            let products = "/v1/subscriptionGroups/100/subscriptions"
            #expect(try await ids("\(products)?filter%5Bname%5D=Yearly,none") == ["77101"])
            #expect(try await ids("\(products)?filter%5Bstate%5D=APPROVED&sort=-name") == ["77101", "77100"])
            #expect(try await ids("\(products)?filter[state]=REJECTED").isEmpty)
            #expect(try await ids("/v1/subscriptions/77100/prices?filter%5Bterritory%5D=USA") == ["77100-USA"])
            #expect(try await ids("/v1/subscriptions/77100/pricePoints") == ["77100-DEU", "77100-USA"])
            #expect(try await ids("/v1/territories") == ["DEU", "USA"])
            #expect(try await ids("/v1/subscriptionGroups/100/relationships/subscriptions") == ["77100", "77101"])
            let linkage = try await client.get("/v1/subscriptionGroups/100/relationships/subscriptions", try headers())
            #expect((linkage.json["data"] as? [[String: Any]])?.first?.keys.sorted() == ["id", "type"])
            let app = try await client.get("/v1/apps/77", try headers())
            let attributes = (app.json["data"] as? [String: Any])?["attributes"] as? [String: Any]
            #expect(attributes?["sku"] as? String == "com.example.app")
            #expect(attributes?["primaryLocale"] as? String == "en-US")
            #expect(attributes?["isOrEverWasMadeForKids"] as? Bool == false)
        }
    }

    @Test("What public clients ask for is there: prices elsewhere, 8,000 price points at once, words, links")
    func clients() async throws {
        try await TestStore.store(try world()).live { client in
            func ids(_ path: String) async throws -> [String] { try await self.ids(path, client) }
            let equal = "/v1/subscriptionPricePoints/77100-USA/equalizations?limit=8000&include=territory"
            #expect(try await ids(equal) == ["77100-DEU"])
            #expect(try await ids("\(equal)&filter%5Bterritory%5D=USA").isEmpty)
            #expect(try await ids("/v1/subscriptions/77100/pricePoints?limit=8000") == ["77100-DEU", "77100-USA"])
            let lost = try await client.get("/v1/subscriptionPricePoints/none/equalizations", try headers())
            #expect(code(lost) == "NOT_FOUND")
            #expect(try await ids("/v1/subscriptions/77100/subscriptionLocalizations") == ["77100-L"])
            #expect(try await ids("/v1/subscriptionGroups/100/subscriptionGroupLocalizations") == ["100-L"])
            let links = try await client.get("/v1/apps", try headers()).json["links"] as? [String: String]
            #expect(links?["self"]?.hasSuffix("/v1/apps") == true)
        }
    }

    @Test(
        "What is not read is refused in Apple's form",
        arguments: [
            ("/v1/apps", 403), ("/v1/subscriptionPrices", 403), ("/v1/subscriptions", 403), ("/v1/none", 404),
            ("/v2/apps", 404),
        ]
    )
    func written(path: String, status: Int) async throws {
        try await TestStore.store(try world()).live { client in
            let answer = try await client.post(path, [:], try headers())
            #expect(answer.status.code == status && code(answer) == (status == 403 ? "FORBIDDEN_ERROR" : "PATH_ERROR"))
        }
    }

    @Test("Products of one app have ids of their own, however many a group has")
    func manyProducts() throws {
        let products = (0..<150).map { "{ id: p\($0) }" }.joined(separator: ", ")
        let yaml = """
            appStoreConnect: { issuerId: team }
            apps:
              - { bundleId: a, subscriptionGroups: [{ id: "1", products: [\(products)] }, { id: "2", products: [{ id: q }] }] }
              - { bundleId: b, subscriptionGroups: [] }
            """
        let world = try ScenarioFile(directory: FileManager.default.temporaryDirectory).world(yaml)
        let ids = try ["1", "2"].flatMap { group in
            try world.connect.place("/v1/subscriptionGroups/\(group)/subscriptions").resources.map(\.id)
        }
        #expect(ids.count == 151 && Set(ids).count == 151)
        #expect(Set(["a", "b"].compactMap { world.app($0)?.appAppleId }).count == 2)
        let twice = yaml.replacing("bundleId:", with: "appAppleId: 5, bundleId:")
        #expect(throws: SimulatorFault.self) {
            try ScenarioFile(directory: FileManager.default.temporaryDirectory).world(twice)
        }
    }

    @Test("An hour has so many requests of a key, which every answer tells")
    func limits() async throws {
        let limit = try #require(HTTPField.Name("X-Rate-Limit"))
        try await TestStore.store(try world("requestsPerHour: 2")).live { client in
            let missing = try await client.get("/v1/none", try headers())
            #expect(missing.headers[limit] == "user-hour-lim:2;user-hour-rem:1;")
            #expect(try await client.get("/v1/apps", try headers()).status == .ok)
            let refused = try await client.get("/v1/apps", try headers())
            #expect(refused.status == .tooManyRequests && code(refused) == "RATE_LIMIT_EXCEEDED")
            #expect(refused.headers[limit] == "user-hour-lim:2;user-hour-rem:0;")
        }
    }

    @Test("Without the agreement that the account holder has to sign, every path is 403")
    func agreement() async throws {
        try await TestStore.store(try world("agreementMissing: true")).live { client in
            let answer = try await client.get("/v1/none", try headers())
            #expect(answer.status == .forbidden)
            #expect(code(answer) == "FORBIDDEN.REQUIRED_AGREEMENTS_MISSING_OR_EXPIRED")
        }
    }
}
