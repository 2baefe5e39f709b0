import Logging
import Offers
import Testing

@testable import AppStore

@Suite("Throttling between the service and Apple")
struct ThrottledTransportTests {
    private let now: @Sendable () -> Timestamp = { Timestamp(millisecondsSince1970: 1_795_262_400_000) }

    private func fault(
        _ transport: ThrottledTransport,
        _ request: OutgoingRequest,
        timeout: Duration = .seconds(5)
    ) async -> TransportFault? {
        do throws(TransportFault) {
            _ = try await transport.send(request, timeout: timeout)
            return nil
        } catch {
            return error
        }
    }

    @Test("A host that is down is not asked, and the others still are")
    func breaker() async {
        let scripted = ScriptedTransport(
            [.failure(.connection), .reply("", status: 503), .failure(.timeout), .reply("", status: 500)]
                + [.failure(.connection), .reply("{}")]
        )
        let transport = ThrottledTransport(scripted, requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        for _ in 0..<5 { _ = await fault(transport, OutgoingRequest(to: "a")) }
        #expect(scripted.requests.count == 5)
        #expect(await fault(transport, OutgoingRequest(to: "a")) == .heldBack(by: .breaker, seconds: 5))
        #expect(scripted.requests.count == 5)
        #expect(await fault(transport, OutgoingRequest(to: "b")) == nil)
        #expect(scripted.requests.count == 6)
    }

    @Test(
        "verifyReceipt is down when it says so, though with HTTP 200",
        // Six questions: with three attempts each where that helps, unless nothing is sent any more after five answers.
        // On a busy machine the pauses may pass, after which one request each tries whether the host is back.
        arguments: [(21005, 5...9), (21009, 5...9), (21003, 6...6), (21002, 12...12), (0, 6...6)]
    )
    func verifyReceipt(status: Int, requests: ClosedRange<Int>) async throws {
        let scripted = ScriptedTransport(Array(repeating: .reply("{\"status\":\(status)}"), count: 30))
        let fetcher = AppStoreEvidenceFetcher(
            [AppStoreApp(bundleId: "b", environments: [.production])],
            over: ThrottledTransport(scripted, requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        )
        // Each receipt is another: a doubt about one is kept for a while.
        for number in 0..<6 { _ = try? await fetcher.history(answering: .receipt(base64: "AAA\(number)"), for: "b") }
        #expect(requests.contains(scripted.requests.count), "\(scripted.requests.count)")
    }

    @Test("Refusals are answers of a host that is well")
    func refusals() async {
        let scripted = ScriptedTransport(Array(repeating: .reply("", status: 404), count: 10))
        let transport = ThrottledTransport(scripted, requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        for _ in 0..<10 { #expect(await fault(transport, OutgoingRequest(to: "a")) == nil) }
    }

    @Test(
        "A host that asks for a pause, or says how long it is down, is left alone for as long, and others are asked",
        arguments: [
            (429, "20", 20), (429, "1795262420000", 20), (429, nil, 5), (429, "86400", 3600), (503, "20", 20),
            (503, "1795262420000", 20), (503, "86400", 60),
        ] as [(Int, String?, Int)]
    )
    func patience(status: Int, retryAfter: String?, seconds: Int) async {
        let scripted = ScriptedTransport(
            [.reply("{}", status: status, retryAfter: retryAfter)] + Array(repeating: .reply("{}"), count: 3)
        )
        let transport = ThrottledTransport(scripted, requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        #expect(await fault(transport, OutgoingRequest(to: "a")) == nil)
        #expect(await fault(transport, OutgoingRequest(to: "a")) == .heldBack(by: .apple, seconds: seconds))
        #expect(scripted.requests.count == 1)
        #expect(await fault(transport, OutgoingRequest(to: "a", bundleId: "c")) == nil)
        #expect(await fault(transport, OutgoingRequest(to: "b")) == nil)
    }

    @Test("A server's fault that does not say how long it lasts is asked again", arguments: [500, 502, 503])
    func impatience(status: Int) async {
        let retryAfter = status == 503 ? "soon" : "20"
        let scripted = ScriptedTransport([.reply("", status: status, retryAfter: retryAfter), .reply("{}")])
        let transport = ThrottledTransport(scripted, requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        for _ in 0..<2 { #expect(await fault(transport, OutgoingRequest(to: "a")) == nil) }
    }

    @Test("Each app has its pace, a tenth of it in the Sandbox; a caller that cannot wait gets the time to come back")
    func pace() async {
        let scripted = ScriptedTransport(Array(repeating: .reply("{}"), count: 10))
        let transport = ThrottledTransport(scripted, requestsPerSecond: 1, deadline: .seconds(5), now: now)
        let short = Duration.milliseconds(200)
        let production = OutgoingRequest(to: "a")
        #expect(await fault(transport, production, timeout: short) == nil)
        #expect(await fault(transport, production, timeout: short) == .heldBack(by: .pace, seconds: 1))
        #expect(await fault(transport, OutgoingRequest(to: "a", bundleId: "c"), timeout: short) == nil)
        #expect(await fault(transport, production, timeout: .seconds(2)) == nil)
        #expect(scripted.requests.count == 3)
        let sandbox = ThrottledTransport(scripted, requestsPerSecond: 10, deadline: .seconds(5), now: now)
        let request = OutgoingRequest(to: "s", environment: .sandbox)
        #expect(await fault(sandbox, request, timeout: short) == nil)
        #expect(await fault(sandbox, request, timeout: short) == .heldBack(by: .pace, seconds: 1))
    }

    @Test("Load above an app's pace is held back by it, and a host that answers is never taken to be down")
    func load() async {
        let answering = TimedTransport(answeringWithin: .milliseconds(450))
        let transport = ThrottledTransport(answering, requestsPerSecond: 20, deadline: .seconds(2), now: now)
        let faults = await withTaskGroup(of: TransportFault?.self) { group in
            for _ in 0..<400 {
                group.addTask { await fault(transport, OutgoingRequest(to: "a"), timeout: .seconds(1)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(faults.contains(nil))
        #expect(faults.contains(.heldBack(by: .pace, seconds: 1)))
        let longest = QuestionRow.longestReturn.wholeSeconds
        #expect(
            faults.allSatisfy { fault in
                fault.map { (1...longest).map { .heldBack(by: .pace, seconds: $0) }.contains($0) } ?? true
            }
        )
        #expect(!transport.isPaused("a"))
    }

    @Test("A call whose own time was short says nothing of the host, one that had its time does")
    func shortTime() async {
        let transport = ThrottledTransport(TimedTransport(), requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        for _ in 0..<10 {
            #expect(await fault(transport, OutgoingRequest(to: "a"), timeout: .milliseconds(900)) == .timeout)
        }
        #expect(!transport.isPaused("a"))
        for _ in 0..<5 { #expect(await fault(transport, OutgoingRequest(to: "a"), timeout: .seconds(3)) == .timeout) }
        #expect(transport.isPaused("a"))
        // Where the operator gives a question one second, its first request has all the time there is.
        let hasty = ThrottledTransport(TimedTransport(), requestsPerSecond: 1000, deadline: .seconds(1), now: now)
        for _ in 0..<5 { _ = await fault(hasty, OutgoingRequest(to: "a"), timeout: .milliseconds(600)) }
        #expect(hasty.isPaused("a"))
    }

    @Test("A call that was given up, and an answer that is too large, are no outage")
    func noOutage() async {
        let given = TimedTransport(waits: true)
        let transport = ThrottledTransport(given, requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        for _ in 0..<10 {
            let call = Task { await fault(transport, OutgoingRequest(to: "a")) }
            call.cancel()
            #expect(await call.value == .timeout)
        }
        #expect(!transport.isPaused("a"))
        let scripted = ScriptedTransport(Array(repeating: .failure(.tooLarge), count: 10))
        let large = ThrottledTransport(scripted, requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        for _ in 0..<10 { #expect(await fault(large, OutgoingRequest(to: "a")) == .tooLarge) }
        // Who sends too much is there: what failed before is forgiven.
        let four = Array(repeating: Result<IncomingResponse, TransportFault>.failure(.connection), count: 4)
        let failing = ScriptedTransport(four + [.failure(.tooLarge)] + four)
        let between = ThrottledTransport(failing, requestsPerSecond: 1000, deadline: .seconds(5), now: now)
        for _ in 0..<9 { _ = await fault(between, OutgoingRequest(to: "a")) }
        #expect(!between.isPaused("a"))
    }

    @Test("A request that waits for a turn while the host goes down is not sent to it")
    func downMeanwhile() async {
        var outcome: TransportFault?
        // On a busy machine the turn may come before the host is down.
        for _ in 0..<5 where outcome == nil {
            let failures = Array(repeating: Result<IncomingResponse, TransportFault>.failure(.connection), count: 5)
            let scripted = ScriptedTransport([.reply("{}")] + failures + [.reply("{}")])
            let transport = ThrottledTransport(scripted, requestsPerSecond: 1, deadline: .seconds(5), now: now)
            #expect(await fault(transport, OutgoingRequest(to: "a")) == nil)
            async let waiting = fault(transport, OutgoingRequest(to: "a"))
            try? await Task.sleep(for: .milliseconds(100))
            for app in 0..<5 { _ = await fault(transport, OutgoingRequest(to: "a", bundleId: "other-\(app)")) }
            outcome = await waiting
        }
        #expect(outcome != nil)
    }

    @Test("A caller that gives up its place in the queue leaves it to the next")
    func givenUp() async {
        let answering = TimedTransport(answeringWithin: .zero)
        let transport = ThrottledTransport(answering, requestsPerSecond: 1, deadline: .seconds(5), now: now)
        var given: TransportFault?
        // On a busy machine its turn may have come before it is given up.
        while given != .timeout {
            #expect(await fault(transport, OutgoingRequest(to: "a")) == nil)
            let call = Task { await fault(transport, OutgoingRequest(to: "a")) }
            call.cancel()
            given = await call.value
        }
        #expect(await fault(transport, OutgoingRequest(to: "a"), timeout: .seconds(2)) == nil)
    }
}

/// A transport to a host that answers whom has the time for it, without letting that pass.
private struct TimedTransport: HTTPTransport {
    /// How long the host takes; `nil` when it never answers.
    var time: Duration?
    /// Whether a call waits until it is given up.
    var waits = false

    init(answeringWithin time: Duration? = nil, waits: Bool = false) { (self.time, self.waits) = (time, waits) }

    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        if waits { try? await Task.sleep(for: timeout) }
        guard let time, time <= timeout else { throw .timeout }
        return IncomingResponse(status: 200, body: Array("{}".utf8))
    }

    func shutdown() async {}
}
