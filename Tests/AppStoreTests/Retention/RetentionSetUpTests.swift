import Foundation
import Offers
import Synchronization
import Testing

@testable import AppStore

@Suite("Setting retention messages up at Apple")
struct RetentionSetUpTests {
    private static let id = MessageIdentifier("7e3fb20b-4cdb-47cc-936d-99d65f608138")
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    /// What was waited for: nothing here takes the time.
    private final class Waits: Sendable {
        let times = Mutex<[Duration]>([])
        let reports = Mutex<[String]>([])
    }

    private func apple(
        _ transport: ScriptedTransport,
        _ environment: AppStoreEnvironment = .production,
        waits: Waits = Waits(),
        hasIssuer: Bool = true
    ) -> RetentionSetUp {
        let credentials = ServerAPICredentials(bundleId: "b", issuerId: "issuer", signer: KeySigner())
        return RetentionSetUp(
            of: AppStoreApp(bundleId: "b", environments: [.production], serverAPI: hasIssuer ? credentials : nil),
            in: environment,
            urls: .names,
            transport: transport,
            now: { Self.now },
            sleep: { time in waits.times.withLock { $0.append(time) } },
            reportWait: { seconds, reason in waits.reports.withLock { $0.append("\(seconds) \(reason)") } }
        )
    }

    private func fault(_ work: () async throws(RetentionFault) -> Void) async -> String {
        do throws(RetentionFault) {
            try await work()
            return ""
        } catch {
            return error.description
        }
    }

    @Test("Each call has Apple's method, path and body, in the app's name and at the environment's address")
    func calls() async throws {
        let id = try #require(Self.id)
        let transport = ScriptedTransport([
            .reply(""), .reply(#"{"realtimeURL":"https://a"}"#), .reply(""), .reply(""), .reply(""),
            .reply(#"{"messageIdentifiers":[{"messageIdentifier":"X","messageState":"PENDING","more":1}]}"#),
            .reply(""), .reply(#"{"messageIdentifier":"X"}"#), .reply(""),
            .reply(#"{"config":{"totalRequests":9,"totalDuration":1500},"requestId":"r"}"#),
            .reply(#"{"result":"FAIL","numPending":0,"successRate":10}"#),
        ])
        let apple = apple(transport, .sandbox)
        try await apple.ask(.setURL("https://a"))
        #expect(try await apple.ask(.url) == "https://a")
        try await apple.ask(.deleteURL)
        try await apple.ask(.upload(MessageUpload(json: Array(#"{"header":"h","body":"b"}"#.utf8)), as: id))
        try await apple.ask(.deleteMessage(id))
        #expect(try await apple.ask(.messages).map { "\($0.identifier) \($0.state)" } == ["X PENDING"])
        try await apple.ask(.setDefault(id, of: "a b", in: "en-US"))
        #expect(try await apple.ask(.defaultMessage(of: "a b", in: "en-US")) == "X")
        try await apple.ask(.deleteDefault(of: "a b", in: "en-US"))
        let test = try await apple.ask(.startTest(originalTransactionId: "7"))
        #expect((test.requestId, test.totalRequests, test.totalDuration) == ("r", 9, .milliseconds(1500)))
        #expect(try await apple.ask(.testResult("r")).verdict == .fail)
        let asked = transport.requests.map { request in
            "\(request.method.rawValue) \(request.url) \(String(decoding: request.body ?? [], as: UTF8.self))"
        }
        let root = "sandbox/inApps/v1/messaging"
        #expect(
            asked == [
                #"PUT \#(root)/realtime/url {"realtimeURL":"https://a"}"#, "GET \(root)/realtime/url ",
                "DELETE \(root)/realtime/url ", #"PUT \#(root)/message/\#(id) {"header":"h","body":"b"}"#,
                "DELETE \(root)/message/\(id) ", "GET \(root)/message/list ",
                #"PUT \#(root)/default/a%20b/en-US {"messageIdentifier":"\#(id)"}"#,
                "GET \(root)/default/a%20b/en-US ", "DELETE \(root)/default/a%20b/en-US ",
                #"POST \#(root)/performanceTest {"originalTransactionId":"7"}"#,
                "GET \(root)/performanceTest/result/r ",
            ]
        )
        #expect(transport.requests.allSatisfy { $0.bearerToken != nil && $0.bundleId == "b" })
    }

    @Test(
        "A second call of a kind waits as Apple's limits want it, and says so",
        arguments: [(AppStoreEnvironment.production, 1, 1), (.sandbox, 10, 10)]
    )
    func pace(environment: AppStoreEnvironment, seconds: Int, tenths: Int) async throws {
        let waits = Waits()
        let reply = Result<IncomingResponse, TransportFault>.reply(#"{"realtimeURL":"https://a"}"#)
        let apple = apple(ScriptedTransport(Array(repeating: reply, count: 5)), environment, waits: waits)
        _ = try await apple.ask(.url)
        try await apple.ask(.deleteURL)
        #expect(waits.times.withLock(\.count) == 0)
        _ = try await apple.ask(.url)
        let id = try #require(Self.id)
        try await apple.ask(.setDefault(id, of: "p", in: "en-US"))
        try await apple.ask(.setDefault(id, of: "p", in: "de-DE"))
        let times = waits.times.withLock(\.self)
        try #require(times.count == 2)
        #expect(times[0] <= .seconds(seconds) && times[0] > .seconds(seconds) * 0.5)
        #expect(times[1] <= .milliseconds(100 * tenths) && times[1] > .zero)
        let reports = waits.reports.withLock(\.self)
        #expect(reports.count == (environment == .sandbox ? 2 : 1))
        #expect(reports[0].hasSuffix("Apple takes one such call in \(seconds) s"))
    }

    @Test("Where Apple asks for patience it is waited for, up to a minute")
    func patience() async throws {
        let moment = "\(Self.now.millisecondsSince1970 + 7000)"
        let waits = Waits()
        let limited = Result<IncomingResponse, TransportFault>.reply(
            #"{"errorCode":4290000}"#,
            status: 429,
            retryAfter: moment
        )
        let transport = ScriptedTransport([limited, .reply("")])
        try await apple(transport, waits: waits).ask(.deleteURL)
        #expect(transport.requests.count == 2)
        #expect(waits.times.withLock(\.self).contains(.seconds(7)))
        #expect(waits.reports.withLock { $0.contains("7 Apple asks for patience") })
        let later = "\(Self.now.millisecondsSince1970 + 3_000_000)"
        let long = ScriptedTransport([.reply(#"{"errorCode":4290000}"#, status: 429, retryAfter: later)])
        let words = await fault { () throws(RetentionFault) in try await apple(long).ask(.deleteURL) }
        #expect(words.contains("3000 s"))
        let stubborn = ScriptedTransport(Array(repeating: limited, count: 9))
        let given = await fault { () throws(RetentionFault) in try await apple(stubborn).ask(.deleteURL) }
        #expect(given.contains("4290000"))
        #expect(stubborn.requests.count == 3)
    }

    @Test(
        "A refusal says what to do",
        arguments: [
            ("", 404, "no access"), (#"{"errorCode":4030026}"#, 403, "retention test start"),
            (#"{"errorCode":4040021}"#, 404, "retention url set"), (#"{"errorCode":4030017}"#, 403, "not approved"),
            (#"{"errorCode":4090001}"#, 409, "another identifier"), ("Unauthenticated", 401, "issuerId"),
            (#"{"errorCode":5000000}"#, 500, "try again later"), (#"{"errorCode":4000999}"#, 400, "4000999"),
            ("<html>", 418, "418"),
        ]
    )
    func refusals(body: String, status: Int, words: String) async {
        let transport = ScriptedTransport([.reply(body, status: status)])
        let said = await fault { () throws(RetentionFault) in try await apple(transport).ask(.setURL("https://a")) }
        #expect(said.contains(words), "\(said)")
        #expect(transport.requests.count == 1)
    }

    @Test("Without an issuer Apple is not asked; a missing or unreadable answer is an error that says so")
    func noAnswer() async {
        let transport = ScriptedTransport([])
        let issuer = await fault { () throws(RetentionFault) in
            try await apple(transport, hasIssuer: false).ask(.deleteURL)
        }
        #expect(issuer.contains("issuerId"))
        #expect(transport.requests.isEmpty)
        let gone = await fault { () throws(RetentionFault) in try await apple(transport).ask(.deleteURL) }
        #expect(gone.contains("cannot be reached"))
        let garbage = ScriptedTransport([.reply("<html>")])
        let unread = await fault { () throws(RetentionFault) in _ = try await apple(garbage).ask(.url) }
        #expect(unread.contains("cannot be read"))
    }
}
