import Offers
import Testing

@testable import AppStore

@Suite("A call of the Server API that a person makes")
struct ServerAPICallerTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    private func caller(_ transport: ScriptedTransport, hasIssuer: Bool = true) -> ServerAPICaller {
        let credentials = ServerAPICredentials(bundleId: "b", issuerId: "issuer", signer: KeySigner())
        return ServerAPICaller(
            of: AppStoreApp(bundleId: "b", environments: [.production], serverAPI: hasIssuer ? credentials : nil),
            in: .production,
            urls: .names,
            transport: transport,
            now: { Self.now }
        )
    }

    private func fault(of caller: ServerAPICaller) async -> String {
        do {
            return try await caller.send(.put, "/inApps/v1/x", body: [], contentType: "application/json").fault ?? ""
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "A refusal says what to do, and Apple is asked once",
        arguments: [
            ("", 404, "on request"), (#"{"errorCode":4030026}"#, 403, "performanceTest with --environment Sandbox"),
            (#"{"errorCode":4040021}"#, 404, "realtime/url sets one (4040021)"),
            (#"{"errorCode":4030017}"#, 403, "not approved"), (#"{"errorCode":4090001}"#, 409, "another identifier"),
            ("Unauthenticated", 401, "issuerId"), (#"{"errorCode":5000000}"#, 500, "try again later"),
            (#"{"errorCode":4000999}"#, 400, "refuses it (HTTP 400, errorCode 4000999)"), ("<html>", 418, "418"),
        ]
    )
    func refusals(body: String, status: Int, words: String) async {
        let transport = ScriptedTransport([.reply(body, status: status)])
        let said = await fault(of: caller(transport))
        #expect(said.contains(words), "\(said)")
        #expect(transport.requests.count == 1)
    }

    @Test("A limit says when to ask again, and Apple is asked once")
    func limited() async {
        let moment = "\(Self.now.millisecondsSince1970 + 7000)"
        let transport = ScriptedTransport([.reply(#"{"errorCode":4290000}"#, status: 429, retryAfter: moment)])
        #expect(await fault(of: caller(transport)).contains("again in 7 s"))
        #expect(transport.requests.count == 1)
    }

    @Test("Without an issuer Apple is not asked; an answer that does not come is an error that says so")
    func noAnswer() async {
        let transport = ScriptedTransport([])
        #expect(await fault(of: caller(transport, hasIssuer: false)).contains("issuerId on the app b"))
        #expect(transport.requests.isEmpty)
        #expect(await fault(of: caller(transport)).contains("cannot be reached"))
    }
}
