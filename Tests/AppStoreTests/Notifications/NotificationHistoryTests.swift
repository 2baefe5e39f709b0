import Foundation
import Offers
import Testing

@testable import AppStore

@Suite("Asking Apple for its notification history")
struct NotificationHistoryTests {
    private static let owner = HistoryOwner(bundleId: "b", environment: .production)
    private static let window = HistoryWindow(
        start: Timestamp(millisecondsSince1970: 1000),
        end: Timestamp(millisecondsSince1970: 2000)
    )

    private func history(_ transport: ScriptedTransport, hasIssuer: Bool = true) -> AppStoreNotificationHistory {
        let credentials = ServerAPICredentials(bundleId: "b", issuerId: "issuer", signer: KeySigner())
        return AppStoreNotificationHistory(
            apps: [
                AppStoreApp(
                    bundleId: "b",
                    environments: [.production, .sandbox, .xcode],
                    serverAPI: hasIssuer ? credentials : nil
                )
            ],
            urls: .names,
            transport: transport,
            requestsPerSecond: 100_000,
            logger: .silent,
            now: { .testNow }
        )
    }

    private func fault(_ history: AppStoreNotificationHistory, _ window: HistoryWindow = window) async -> HistoryFault?
    {
        do throws(HistoryFault) {
            _ = try await history.page(window, of: Self.owner)
            return nil
        } catch {
            return error
        }
    }

    @Test("A page is asked for as Apple documents it, and read with its attempts")
    func page() async throws {
        let transport = ScriptedTransport([
            .reply(
                #"""
                {"hasMore":true,"paginationToken":"a b&c","more":[1],"notificationHistory":[{"signedPayload":"x.y.z","sendAttempts":[
                {"attemptDate":1500,"sendAttemptResult":"TLS_ISSUE"},{"attemptDate":1600,"sendAttemptResult":"SUCCESS"}]},
                {"firstSendAttemptResult":"SUCCESS"},{"signedPayload":"u.v.w","sendAttempts":null}]}
                """#
            ), .reply(#"{"hasMore":false,"paginationToken":"e","notificationHistory":[]}"#),
        ])
        let history = history(transport)
        let page = try await history.page(Self.window, of: Self.owner)
        #expect(page.items.map(\.signedPayload) == ["x.y.z", "u.v.w"])
        #expect(page.items[0].attempts.map(\.result) == ["TLS_ISSUE", "SUCCESS"])
        #expect(page.items[0].attempts[0].date == Timestamp(millisecondsSince1970: 1500))
        var second = Self.window
        second.paginationToken = page.nextPage
        #expect(try await history.page(second, of: Self.owner).nextPage == nil)
        #expect(
            transport.requests.map { "\($0.method.rawValue) \($0.url)" } == [
                "POST production/inApps/v1/notifications/history",
                "POST production/inApps/v1/notifications/history?paginationToken=a%20b%26c",
            ]
        )
        let bodies = transport.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
        #expect(bodies == Array(repeating: #"{"startDate":1000,"endDate":2000}"#, count: 2))
        #expect(history.owners.map(\.environment) == [.production, .sandbox])
    }

    @Test("Each answer that is no page says what to do, and 429 until when")
    func faults() async throws {
        let later = Timestamp.testNow.adding(seconds: 90).millisecondsSince1970
        let rows: [(Result<IncomingResponse, TransportFault>, seconds: Int?, HistoryFault.Kind)] = [
            (.reply(#"{"errorCode":4290000}"#, status: 429, retryAfter: "\(later)"), 90, .temporary),
            (.reply(#"{"errorCode":4000014}"#, status: 400), nil, .pageRefused),
            (.reply(#"{"errorCode":4000017}"#, status: 400), nil, .pageRefused),
            (.reply(#"{"errorCode":4000000}"#, status: 400), nil, .pageRefused),
            (.reply(#"{"errorCode":4000012}"#, status: 400), nil, .pageRefused),
            (.reply("<html>", status: 414), nil, .pageRefused), (.reply("", status: 408), nil, .temporary),
            (.reply(#"{"errorCode":4040004}"#, status: 404), nil, .temporary),
            (.reply(#"{"errorCode":5000001}"#, status: 500), nil, .temporary),
            (.reply("no", status: 401), nil, .keyRefused),
            (.reply("no", status: 403), nil, .keyRefused),
            (.reply(#"{"hasMore":true,"notificationHis"#), nil, .temporary),
            (.reply(#"{"notificationHistory":[]}"#), nil, .temporary),
            (.reply(#"{"hasMore":true,"notificationHistory":[]}"#), nil, .pageRefused),
            (.failure(.timeout), nil, .temporary),
        ]
        for (reply, seconds, kind) in rows {
            let fault = await fault(history(ScriptedTransport([reply])))
            #expect(fault?.retryAfterSeconds == seconds)
            #expect(fault?.kind == kind, "\(reply)")
        }
        let words = SignedAnswers.Reply.reply(
            #"{"errorCode":4000012,"errorMessage":"Too\u001bfar\u0007."}"#,
            status: 400
        )
        let said = await fault(history(ScriptedTransport([words])))
        #expect(
            said?.description.contains("(HTTP 400, errorCode 4000012: Too?far?.)") == true,
            "\(said.debugDescription)"
        )
        #expect(history(ScriptedTransport([]), hasIssuer: false).owners.isEmpty)
    }

    @Test("A test notification is requested, and Apple's attempts are read")
    func test() async throws {
        let transport = ScriptedTransport([
            .reply(#"{"testNotificationToken":"t_1"}"#), .reply(#"{"signedPayload":"x","sendAttempts":[]}"#),
            .reply(
                #"{"signedPayload":"x","sendAttempts":[{"attemptDate":1,"sendAttemptResult":"NO_RESPONSE"}]}"#
            ), .reply(#"{"errorCode":4040007}"#, status: 404),
        ])
        let history = history(transport)
        let token = try await history.requestTest(of: Self.owner)
        #expect(try await history.testAttempts(token, of: Self.owner).isEmpty)
        #expect(try await history.testAttempts(token, of: Self.owner).map(\.result) == ["NO_RESPONSE"])
        await #expect(throws: HistoryFault.self) { try await history.requestTest(of: Self.owner) }
        #expect(
            transport.requests.prefix(2).map { "\($0.method.rawValue) \($0.path)" } == [
                "POST /inApps/v1/notifications/test", "GET /inApps/v1/notifications/test/t_1",
            ]
        )
    }
}
