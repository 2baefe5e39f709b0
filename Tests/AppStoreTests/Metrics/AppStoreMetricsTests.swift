import KeptLog
import LedgerFixtures
import Logging
import Offers
import PrometheusMetrics
import Testing

@testable import AppStore

@Suite("Metrics of calls to Apple")
struct AppStoreMetricsTests {
    /// Longer than any machine that runs the tests is busy with something else.
    private static let deadline = Duration.seconds(600)

    private let registry = PrometheusRegistry()
    private let log = KeptLog()

    private func fetcher(_ replies: [Result<IncomingResponse, TransportFault>]) -> AppStoreEvidenceFetcher {
        AppStoreEvidenceFetcher(
            apps: [AppStoreApp(bundleId: "b", environments: [.production], answerLifetimeSeconds: 86_400)],
            urls: AppStoreURLs(
                verifyReceipt: "receipts",
                sandboxVerifyReceipt: "sandbox-receipts",
                serverAPI: "api",
                sandboxServerAPI: "sandbox-api"
            ),
            verifier: SignedDataVerifier(),
            transport: ScriptedTransport(replies),
            requestsPerSecond: 1000,
            deadline: Self.deadline,
            metrics: AppStoreMetrics(factory: registry),
            logger: log.logger,
            now: { .testNow }
        )
    }

    private func ask(_ fetcher: AppStoreEvidenceFetcher, _ receipt: String) async {
        _ = try? await fetcher.history(answering: .receipt(base64: receipt), for: "b")
    }

    private var samples: Set<Substring> {
        Set(String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n"))
    }

    @Test("A doubt that is kept counts once for each question, as an answer does")
    func doubted() async {
        let fetcher = fetcher(Array(repeating: .reply(#"{"status":21002}"#), count: 2))
        await ask(fetcher, "AAAA")
        for _ in 0..<2 {
            #expect(fetcher.keptHistory(answering: .receipt(base64: "AAAA"), for: "b", needsWholeHistory: false) == nil)
            await ask(fetcher, "AAAA")
        }
        #expect(samples.contains("offer_signer_app_store_questions_total{answered_by=\"call\"} 1"))
        #expect(samples.contains("offer_signer_app_store_questions_total{answered_by=\"cache\"} 2"))
    }

    @Test("calls are counted by outcome, questions by source of the answer")
    func calls() async {
        let answer = #"{"status":0,"receipt":{"bundle_id":"b"}}"#
        let fetcher = fetcher([.failure(.timeout), .reply("", status: 503), .reply(answer)])
        await ask(fetcher, "AAAA")
        await ask(fetcher, "AAAA")
        let call = "offer_signer_app_store_calls_total{service=\"verifyReceipt\",environment=\"Production\",status="
        for status in ["timeout", "503", "200"] { #expect(samples.contains("\(call)\"\(status)\",app=\"b\"} 1")) }
        #expect(samples.contains("offer_signer_app_store_questions_total{answered_by=\"call\"} 1"))
        #expect(samples.contains("offer_signer_app_store_questions_total{answered_by=\"cache\"} 1"))
        fetcher.updateGauges()
        #expect(samples.contains("offer_signer_app_store_cached_answers 1"))
        #expect(samples.contains("offer_signer_app_store_questions_under_way 0"))
        #expect(samples.contains("offer_signer_app_store_waiting_calls 0"))
    }

    @Test("A fault that verifyReceipt tells with HTTP 200 is counted by its number, and another status is not")
    func receiptFaults() async {
        let fetcher = fetcher([21005, 21199, 21003].map { .reply(#"{"status":\#($0)}"#) })
        await ask(fetcher, "AAAA")
        let call = "offer_signer_app_store_calls_total{service=\"verifyReceipt\",environment=\"Production\",status="
        for status in ["21005", "21199", "200"] { #expect(samples.contains("\(call)\"\(status)\",app=\"b\"} 1")) }
    }

    @Test("questions under way are counted, and callers that share an answer")
    func shared() async throws {
        let fetcher = fetcher([])
        let key = QuestionKey(.transactionId("1"), of: "b")
        let history = Book(of: "b", asOf: nil, [], [])
        let name = "offer_signer_app_store_questions_total{answered_by=\"shared_call\"} 1"
        _ = try await fetcher.flights.history(for: key) { () throws(EvidenceFault) in
            fetcher.updateGauges()
            #expect(samples.contains("offer_signer_app_store_questions_under_way 1"))
            Task { try await fetcher.flights.history(for: key) { () throws(EvidenceFault) in history } }
            for _ in 0..<1000 where !samples.contains(Substring(name)) { try? await Task.sleep(for: .milliseconds(10)) }
            return history
        }
        #expect(samples.contains(Substring(name)))
    }

    @Test("callers that wait for a turn are counted while they wait")
    func waiting() async {
        let metrics = AppStoreMetrics(factory: registry)
        let transport = ThrottledTransport(
            ScriptedTransport([]),
            requestsPerSecond: 1,
            deadline: Self.deadline,
            metrics: metrics,
            now: { .init(millisecondsSince1970: 0) }
        )
        let calls = (0..<30).map { _ in
            Task { _ = try? await transport.send(OutgoingRequest(to: "a"), timeout: Self.deadline) }
        }
        let nobody: Substring = "offer_signer_app_store_waiting_calls 0"
        for _ in 0..<1000 where samples.contains(nobody) { try? await Task.sleep(for: .milliseconds(10)) }
        #expect(!samples.contains(nobody))
        for call in calls { call.cancel() }
        for call in calls { await call.value }
        #expect(samples.contains(nobody))
    }

    @Test("our own wrong secret, for the app whose it is")
    func credentials() async {
        let name = "offer_signer_app_store_credentials_refused_total{service=\"verifyReceipt\",app=\"b\"}"
        let fetcher = fetcher([.reply(#"{"status":21004}"#), .reply(#"{"status":21003}"#)])
        #expect(samples.contains("\(name) 0"))
        await ask(fetcher, "AAAA")
        #expect(samples.contains("\(name) 1"))
        await ask(fetcher, "AAAB")
        #expect(samples.contains("\(name) 1"))
    }

    @Test("a service that is down, and the calls that were kept from it")
    func breaker() async {
        let fetcher = fetcher(Array(repeating: .failure(.connection), count: 1000))
        for receipt in ["AAAA", "AAAB"] { await ask(fetcher, receipt) }
        let open = "offer_signer_app_store_breaker_open{service=\"verifyReceipt\",environment="
        // A busy machine may take longer than the first pause, and the next pauses are longer.
        for _ in 0..<20 where !samples.contains("\(open)\"Production\"} 1") {
            await ask(fetcher, "AAAC")
            fetcher.updateGauges()
        }
        #expect(samples.contains("\(open)\"Production\"} 1"))
        #expect(samples.contains("\(open)\"Sandbox\"} 0"))
        let other = "offer_signer_app_store_breaker_open{service=\"serverAPI\",environment="
        for environment in ["Production", "Sandbox"] { #expect(samples.contains("\(other)\"\(environment)\"} 0")) }
        let held = samples.first { $0.hasPrefix("offer_signer_app_store_held_back_total{cause=\"breaker\"}") }
        #expect(held?.hasSuffix(" 0") == false)
        #expect(samples.contains("offer_signer_app_store_held_back_total{cause=\"pace\"} 0"))
    }

    @Test("a call that Apple's own 429 keeps back is not one of our pace")
    func patience() async {
        let fetcher = fetcher([.reply("{}", status: 429, retryAfter: "3600")])
        for receipt in ["AAAA", "AAAB"] { await ask(fetcher, receipt) }
        let held = samples.first { $0.hasPrefix("offer_signer_app_store_held_back_total{cause=\"apple\"}") }
        #expect(held?.hasSuffix(" 0") == false)
        #expect(samples.contains("offer_signer_app_store_held_back_total{cause=\"pace\"} 0"))
    }
}
