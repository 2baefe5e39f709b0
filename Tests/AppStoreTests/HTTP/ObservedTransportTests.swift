import KeptLog
import Synchronization
import Testing

@testable import AppStore

@Suite("Why calls to Apple fail, in the log")
struct ObservedTransportTests {
    private let log = KeptLog()

    private func lines(
        _ replies: [Result<IncomingResponse, TransportFault>],
        each pause: Duration = .zero,
        to host: String = "https://api.example:8443"
    ) async -> [String] {
        let now = Mutex(Duration.zero)
        let transport = ObservedTransport(
            ScriptedTransport(replies),
            AppStoreMetrics(),
            logger: log.logger,
            uptime: { now.withLock { $0 } }
        )
        for _ in replies {
            _ = try? await transport.send(OutgoingRequest(to: host, path: "/inApps/v1/secret"), timeout: .seconds(1))
            now.withLock { $0 += pause }
        }
        let all = log.takeLines()
        // Each call that was made has a line of its own beside these.
        #expect(
            all.filter { $0.hasPrefix("a call to Apple ") && !$0.contains("failed=") }.allSatisfy {
                $0.contains(" spanId=")
            }
        )
        return all.filter { !$0.contains(" spanId=") }
    }

    @Test(
        "A failed call has its service, its host, the part that failed, and its metric's label, and never its path",
        arguments: [
            (.failure(.failed(.name, detail: "unknown host")), "detail=unknown host", "name", "name"),
            (.failure(.failed(.connection, detail: "refused")), "detail=refused", "connection", "connection"),
            (.failure(.failed(.tls, detail: "expired")), "detail=expired", "TLS", "tls"),
            (.failure(.timeout), "", "time", "timeout"), (.failure(.tooLarge), "", "answer", "too_large"),
            (.failure(.failed(.notHTTP)), "", "answer", "not_http"),
            (.reply("", status: 503), "", "answer", "503"), (.reply("", status: 401), "", "answer", "401"),
        ] as [(Result<IncomingResponse, TransportFault>, String, String, String)]
    )
    func causes(reply: Result<IncomingResponse, TransportFault>, detail: String, part: String, label: String) async {
        let start = "a call to Apple failed" + (detail.isEmpty ? "" : " " + detail)
        let line = "\(start) environment=Production failed=\(part) host=api.example:8443 label=\(label)"
        #expect(await lines([reply]) == [line + " service=serverAPI"])
    }

    @Test("A call that is answered, and one that was not made, have no line that they failed")
    func others() async {
        #expect(await lines([.reply("{}"), .reply("", status: 404), .failure(.heldBack(by: .pace, seconds: 1))]) == [])
    }

    @Test("Each cause has one line a minute, which says how many there were since")
    func minutes() async {
        let down = Result<IncomingResponse, TransportFault>.failure(.connection)
        let replies = Array(repeating: down, count: 5) + [.failure(.timeout)] + Array(repeating: down, count: 4)
        let lines = await lines(replies, each: .seconds(15))
        #expect(lines.map { $0.contains("label=timeout") } == [false, false, true, false])
        #expect(lines.map { $0.firstMatch(of: /more=(\d+)/)?.1 } == [nil, "3", nil, "2"])
    }

    @Test("What Apple refuses has a line a minute for each cause")
    func refusals() {
        let apple = AppleLog(log.logger)
        for _ in 0..<30 { apple.error("refused", ["bundleId": "a"]) }
        apple.error("refused", ["bundleId": "b"])
        #expect(log.takeLines() == ["refused bundleId=a", "refused bundleId=b"])
    }
}
