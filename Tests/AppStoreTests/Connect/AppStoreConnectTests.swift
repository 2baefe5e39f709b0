import Foundation
import Offers
import Synchronization
import Testing

@testable import AppStore

@Suite("Reading App Store Connect")
struct AppStoreConnectTests {
    private func catalog(_ transport: any HTTPTransport) async throws -> ConnectCatalog? {
        try await AppStoreConnect(over: transport).catalog(of: "b") { _, _ in }
    }

    private func fault(
        _ replies: [Result<IncomingResponse, TransportFault>],
        issuerId: String? = "issuer",
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> String {
        let connect = AppStoreConnect(over: ScriptedTransport(replies), issuerId: issuerId, report: report)
        do throws(AppStoreConnectFault) {
            _ = try await connect.catalog(of: "b") { _, _ in }
            return ""
        } catch {
            return error.description
        }
    }

    @Test("An app takes two requests and one for each group, each with the fields that are needed")
    func requests() async throws {
        let transport = ScriptedConnect.app(
            products: [ScriptedConnect.product("monthly", level: 2, offers: ["o1"], winBacks: ["w 1"])],
            included: [
                ScriptedConnect.offer("half", resource: "o1", plan: "MONTHLY"),
                ScriptedConnect.winBack("back", resource: "w 1", end: "2026-05-31"),
            ]
        )
        let found = try #require(try await catalog(transport))
        #expect(found.appAppleId == "77" && found.name == "App" && found.groups.map(\.id) == ["100"])
        let product = try #require(found.groups.first?.products.first)
        #expect(product.level == 2 && product.period == .months(1) && product.isForSale)
        #expect(product.offers.map(\.id) == ["half"] && product.offers.first?.isForMonthlyPlan == true)
        #expect(product.winBackOffers.first?.url == "https://apps.apple.com/win-back/w%201")
        let paths = transport.paths.map { $0.removingPercentEncoding ?? "" }
        #expect(
            paths == [
                "/v1/apps?filter[bundleId]=b&fields[apps]=bundleId,name", "/v1/apps/77/subscriptionGroups?limit=200",
                "/v1/subscriptionGroups/100/subscriptions?include=promotionalOffers,winBackOffers"
                    + "&limit[promotionalOffers]=50&limit[winBackOffers]=50&limit=200",
            ]
        )
    }

    @Test("An app of a bundle id that only begins alike, or is in other case, is another app")
    func exactApp() async throws {
        let other = #"{"data":[{"type":"apps","id":"1","attributes":{"bundleId":"B"}}]}"#
        #expect(try await catalog(ScriptedConnect(["/v1/apps": other])) == nil)
    }

    @Test("A list of offers that was cut is read to its end, page by page")
    func cutLists() async throws {
        let first = (0..<50).map { "o\($0)" }
        let all = (0..<120).map { ScriptedConnect.offer("offer\($0)", resource: "o\($0)") }
        let path = "/v1/subscriptions/r-monthly/promotionalOffers"
        let transport = ScriptedConnect.app(
            products: [ScriptedConnect.product("monthly", offers: first, total: 120)],
            included: Array(all.prefix(50)),
            more: [
                "\(path)?limit=200": ScriptedConnect.list(Array(all[..<70]), next: "https://connect\(path)?cursor=x"),
                "\(path)?cursor=x": ScriptedConnect.list(Array(all[70...])),
            ]
        )
        let found = try await catalog(transport)?.groups.first?.products.first?.offers.map(\.id)
        #expect(found == (0..<120).map { "offer\($0)" })
    }

    @Test(
        "A next page at another host is not asked for, and one that was read before ends the reading",
        arguments: ["https://connect.example.com/v1/apps?cursor=x", "https://connect/v1/apps?cursor=x"]
    )
    func foreignPages(next: String) async throws {
        let transport = ScriptedConnect(["/v1/apps": ScriptedConnect.list([], next: next)])
        await #expect(throws: AppStoreConnectFault.self) { try await catalog(transport) }
        #expect(transport.paths.count == (next.hasPrefix("https://connect/") ? 2 : 1))
    }

    @Test("A 429 without Retry-After is waited for three times, ten seconds each, and then told")
    func limits() async throws {
        let limit = Result<IncomingResponse, TransportFault>.reply(
            #"{"errors":[{"status":"429","code":"RATE_LIMIT_EXCEEDED"}]}"#,
            status: 429
        )
        let waits = Mutex<[String]>([])
        let text = await fault(Array(repeating: limit, count: 9)) { wait in waits.withLock { $0.append(wait) } }
        #expect(text.contains("3600 requests an hour"), "\(text)")
        let told = waits.withLock { $0 }
        #expect(told == Array(repeating: "10 s: App Store Connect asks for patience", count: 3))
        let few = Array(repeating: limit, count: 3) + [.reply(#"{"data":[]}"#)]
        #expect(await fault(few).isEmpty)
        #expect(await fault([.reply("", status: 503), .reply(#"{"data":[]}"#)]).isEmpty)
        #expect(await fault([.reply("", status: 429, retryAfter: "3000"), .reply(#"{"data":[]}"#)]) != "")
    }

    @Test(
        "A dropped connection, a time-out and an answer that cannot be read are repeated as Apple's faults are, three times"
    )
    func repeated() async throws {
        let faults: [Result<IncomingResponse, TransportFault>] = [
            .failure(.connection), .failure(.timeout), .failure(.failed(.notHTTP)), .reply("<html>"),
            .reply(#"{"data":1}"#),
        ]
        for fault in faults {
            #expect(await self.fault([fault, .reply(#"{"data":[]}"#)]).isEmpty, "\(fault)")
            let waits = Mutex<[String]>([])
            #expect(
                await !self.fault(Array(repeating: fault, count: 9)) { wait in waits.withLock { $0.append(wait) } }
                    .isEmpty
            )
            #expect(waits.withLock { $0 }.map { $0.prefix(4) } == ["2 s:", "2 s:", "2 s:"])
        }
        for lasting in [TransportFault.failed(.name), .failed(.tls), .tooLarge] {
            #expect(await !self.fault([.failure(lasting), .reply(#"{"data":[]}"#)]).isEmpty, "\(lasting)")
        }
    }

    @Test("What a newer App Store Connect has is read over, and named")
    func newer() async throws {
        let product = ScriptedConnect.product("monthly").replacing(
            "\"familySharable\"",
            with: #""groupPurchaseInvitationMode":"APPLE","priceTiers":[{"quantity":5}],"later":null,"familySharable""#
        ).replacing(
            "\"relationships\":{",
            with: #""relationships":{"retentionOffers":{"links":{"related":"x"},"meta":{"total":3},"data":"odd"},"#
        )
        let found = try #require(try await catalog(ScriptedConnect.app(products: [product])))
        #expect(found.groups.first?.products.map(\.id) == ["monthly"])
        #expect(found.leftOut.map(\.name) == ["groupPurchaseInvitationMode", "priceTiers", "retentionOffers"])
        #expect(found.leftOut.allSatisfy { $0.products == 1 })
    }

    @Test(
        "A refusal is told by its cause, with the fix",
        arguments: [
            (401, "NOT_AUTHORIZED", "In-App Purchase key"), (401, "NOT_AUTHORIZED", "leave --issuer-id out"),
            (403, "FORBIDDEN_ERROR", "role App Manager"),
            (403, "FORBIDDEN.REQUIRED_AGREEMENTS_MISSING_OR_EXPIRED", "account holder"),
            (404, "NOT_FOUND", "/v1/apps"), (404, "PATH_ERROR", "--app-store-connect-url"),
            (400, "PARAMETER_ERROR.ILLEGAL", "words of Apple"),
        ]
    )
    func refusals(status: Int, code: String, words: String) async {
        let body = #"{"errors":[{"status":"\#(status)","code":"\#(code)","title":"t","detail":"words of Apple"}]}"#
        let text = await fault([.reply(body, status: status)])
        #expect(text.contains(words) && text.contains("\(status) \(code)"), "\(text)")
    }

    @Test("An individual's key names no issuer, and a token is for no app and for less than 20 minutes")
    func tokens() async throws {
        for issuer in ["issuer", nil] {
            let transport = ScriptedTransport([.reply(#"{"data":[]}"#)])
            _ = try await AppStoreConnect(over: transport, issuerId: issuer).catalog(of: "b") { _, _ in }
            let token = try #require(transport.requests.first?.bearerToken)
            let part = String(token.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - part.count % 4) % 4)
            let data = try #require(Data(base64Encoded: part + padding))
            let payload = try JSONSerialization.jsonObject(with: data)
            let claims = try #require(payload as? [String: Any])
            #expect(claims["iss"] as? String == issuer)
            #expect(claims["sub"] as? String == (issuer == nil ? "user" : nil))
            #expect(claims["bid"] == nil && claims["aud"] as? String == "appstoreconnect-v1")
            let issued = try #require(claims["iat"] as? Int)
            let expires = try #require(claims["exp"] as? Int)
            #expect((issued + 1...issued + 1200).contains(expires))
        }
    }

    @Test("An answer that is none of Apple's is a fault", arguments: ["", "[]", #"{"data":[{}]}"#, "<html>"])
    func hostile(body: String) async {
        #expect(await fault(Array(repeating: .reply(body), count: 4)).contains("cannot be read"))
    }
}
