import FakeServer
import Testing

@testable import OfferSignerClient

@Suite("Calls that are tried again")
struct RetryingTests {

    @Test("A refusal with Retry-After is waited for, and then there is an answer", arguments: [408, 429, 503])
    func retryAfter(status: Int) async throws {
        let service = try ScriptedService(
            ScriptedService.problem(status, "c", ["Retry-After": "3"]),
            ScriptedService.answer
        )
        let answer = try await service.client().signatures(ScriptedService.request)
        #expect(answer.bundleId == "com.example.reader")
        #expect(service.requests.count == 2)
        #expect(service.requests.map(\.body).allSatisfy { $0 == service.requests[0].body })
        let pause = try #require(service.pauses.first)
        #expect(pause >= .seconds(3) && pause < .seconds(4))
    }

    @Test("A caller that is always refused gets the last refusal, after as many attempts as allowed", arguments: 1...4)
    func attempts(maximum: Int) async throws {
        let service = try ScriptedService(ScriptedService.problem(503, "c"))
        let policy = RetryPolicy(maximumAttempts: maximum, deadline: .seconds(600), attemptTimeout: .seconds(120))
        let client = try service.client(policy)
        await #expect(throws: OfferSignerError.problem(Problem(status: 503, code: "c", detail: "D.", pointer: "/a"))) {
            try await client.signatures(ScriptedService.request)
        }
        #expect(service.requests.count == maximum)
    }

    @Test("A Retry-After beyond the deadline is not waited for: the caller gets it at once")
    func deadline() async throws {
        let refusal = ScriptedService.problem(429, "c", ["Retry-After": "60", "X-Request-ID": "r-1"])
        let service = try ScriptedService(refusal, ScriptedService.answer)
        let problem = Problem(
            status: 429,
            code: "c",
            detail: "D.",
            pointer: "/a",
            retryAfterSeconds: 60,
            requestId: "r-1"
        )
        await #expect(throws: OfferSignerError.problem(problem)) {
            try await service.client(RetryPolicy(deadline: .seconds(30))).signatures(ScriptedService.request)
        }
        #expect(service.requests.count == 1)
        #expect(service.pauses.isEmpty)
    }

    @Test(
        "A Retry-After that no service sends is a day at most, and none where it is no number of seconds",
        arguments: [
            ("9223372036854775807", 86_400), ("86401", 86_400), ("0", 0), ("-5", nil), ("99999999999999999999", nil),
            ("Wed, 25 Nov 2026 04:00:00 GMT", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func strangeRetryAfter(text: String, seconds: Int?) async throws {
        let service = try ScriptedService(ScriptedService.problem(429, "c", ["Retry-After": text]))
        let error = await #expect(throws: OfferSignerError.self) {
            try await service.client(.none).signatures(ScriptedService.request)
        }
        guard case .problem(let problem) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem.retryAfterSeconds == seconds)
    }

    @Test(
        "A call that would end the same way is not tried again",
        arguments: [400, 401, 403, 404, 405, 413, 415, 422, 500]
    )
    func final(status: Int) async throws {
        let service = try ScriptedService(ScriptedService.problem(status, "c"), ScriptedService.answer)
        await #expect(throws: OfferSignerError.problem(Problem(status: status, code: "c", detail: "D.", pointer: "/a")))
        {
            try await service.client().signatures(ScriptedService.request)
        }
        #expect(service.requests.count == 1)
    }

    @Test(
        "A lost answer is asked for again where twice is as good as once, and product reports are not",
        arguments: [
            FakeServer.Reply(closes: true), FakeServer.Reply(502, "<html>"), FakeServer.Reply(504, ""),
            ScriptedService.problem(503, "answer_timeout", ["Retry-After": "0"]),
        ]
    )
    func lost(reply: FakeServer.Reply) async throws {
        let signing = try ScriptedService(reply, reply, ScriptedService.answer)
        _ = try await signing.client().signatures(ScriptedService.request)
        #expect(signing.requests.count == 3)

        let reporting = try ScriptedService(reply, FakeServer.Reply(202, #"{"accepted":1,"rejected":[]}"#))
        let report = ProductReport(productId: "p", price: "9.99", countryCode: "DE", currencyCode: "EUR")
        await #expect(throws: OfferSignerError.self) { try await reporting.client().report([report]) }
        #expect(reporting.requests.count == 1)
    }

    @Test("An idempotencyKey goes with every attempt, beside the same bytes, and with no call that has none")
    func idempotencyKey() async throws {
        let lost = FakeServer.Reply(closes: true)
        let signing = try ScriptedService(lost, lost, ScriptedService.answer)
        let request = SignatureRequest(
            bundleId: "com.example.reader",
            account: .applicationUsername("anna"),
            evidence: .signedTransactions(["a.b.c"], renewalInfos: ["d.e.f"]),
            offers: [RequestedOffer(productId: "pro.monthly", offerId: "comeback50")],
            formats: [.jws, .discount]
        )
        _ = try await signing.client().signatures(request, idempotencyKey: "7a3d")
        #expect(signing.requests.map { $0.headers["idempotency-key"] } == ["7a3d", "7a3d", "7a3d"])
        #expect(Set(signing.requests.map(\.body)).count == 1)
        // In any process, at any time.
        let bytes =
            #"{"evidence":{"signedRenewalInfos":["d.e.f"],"signedTransactions":["a.b.c"]},"applicationUsername":"anna","#
            + #""bundleId":"com.example.reader","formats":["jws","discount"],"#
            + #""offers":[{"offerId":"comeback50","productId":"pro.monthly"}]}"#
        #expect(signing.requests.first.map { String(decoding: $0.body, as: UTF8.self) } == bytes)
        _ = try await signing.client().signatures(request)
        #expect(signing.requests.last?.headers["idempotency-key"] == nil)
    }

    @Test(
        "What is no idempotencyKey is not sent",
        arguments: ["", "a b", "a\r\nX: y", "ä", String(repeating: "k", count: 256)]
    )
    func noIdempotencyKey(key: String) async throws {
        let service = try ScriptedService(ScriptedService.answer)
        let error = await #expect(throws: OfferSignerError.self) {
            try await service.client().signatures(ScriptedService.request, idempotencyKey: key)
        }
        guard case .invalidArgument = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.requests.isEmpty)
    }

    @Test("A refused product report was not taken, so it is sent again")
    func refusedReport() async throws {
        let service = try ScriptedService(
            ScriptedService.problem(503, "store_unavailable", ["Retry-After": "5"]),
            FakeServer.Reply(202, #"{"accepted":1,"rejected":[]}"#)
        )
        let report = ProductReport(productId: "p", price: "9.99", countryCode: "DE", currencyCode: "EUR")
        #expect(try await service.client().report([report]).accepted == 1)
        #expect(service.requests.count == 2)
    }

    @Test("A service that is silent, or stops in the middle of an answer, costs the attempts' time and no more")
    func silence() async throws {
        for reply in [
            FakeServer.Reply(delay: 60), FakeServer.Reply(200, String(repeating: " ", count: 999), bytesPerSecond: 1),
        ] {
            let service = try ScriptedService(reply)
            let policy = RetryPolicy(deadline: .seconds(3600), attemptTimeout: .milliseconds(100))
            await #expect(throws: OfferSignerError.noAnswer("The service did not answer in time.")) {
                try await service.client(policy).signatures(ScriptedService.request)
            }
            #expect(service.pauses.count == 2)
        }
    }

    @Test("A call to an address where nothing listens fails with an error")
    func closedPort() async throws {
        var service: FakeServer? = try FakeServer { _ in FakeServer.Reply() }
        let url = try #require(service?.url)
        service = nil
        let client = try OfferSigner(url: url, token: ScriptedService.token, retries: ScriptedService.patience) { _ in }
        let error = await #expect(throws: OfferSignerError.self) {
            try await client.signatures(ScriptedService.request)
        }
        guard case .noAnswer = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A cancelled task ends its call")
    func cancellation() async throws {
        let service = try ScriptedService(FakeServer.Reply(delay: 60))
        let client = try service.client(RetryPolicy(deadline: .seconds(3600), attemptTimeout: .seconds(3600)))
        let task = Task { try await client.signatures(ScriptedService.request) }
        while service.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await #expect(throws: OfferSignerError.cancelled) { try await task.value }
    }
}
