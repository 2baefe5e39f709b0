import LedgerFixtures
import Offers
import Testing

@testable import AppStore

@Suite("Apple's recent answers")
struct KeptHistoryTests {
    private let transport = ScriptedTransport(
        Array(repeating: .reply(#"{"status":0,"receipt":{"bundle_id":"b"}}"#), count: 2)
    )

    private func fetcher(lifetimeSeconds: Int, over other: ScriptedTransport? = nil) -> AppStoreEvidenceFetcher {
        AppStoreEvidenceFetcher(
            ["b", "c"].map {
                AppStoreApp(bundleId: $0, environments: [.production], answerLifetimeSeconds: lifetimeSeconds)
            },
            over: other ?? transport
        )
    }

    private func kept(_ fetcher: AppStoreEvidenceFetcher, _ receipt: String, of app: String) -> Book? {
        fetcher.keptHistory(answering: .receipt(base64: receipt), for: app, needsWholeHistory: false)
    }

    @Test("It is answered without asking again, for this question and this app, until it expires")
    func once() async throws {
        let fetcher = fetcher(lifetimeSeconds: 86_400)
        #expect(kept(fetcher, "AAAA", of: "b") == nil)
        let answer = try await fetcher.history(answering: .receipt(base64: "AAAA"), for: "b")
        #expect(kept(fetcher, "AAAA", of: "b") == answer)
        #expect(kept(fetcher, "AAAB", of: "b") == nil)
        #expect(kept(fetcher, "AAAA", of: "c") == nil)
        #expect(kept(fetcher, "AAAA", of: "unknown") == nil)
        #expect(transport.requests.count == 1)
    }

    @Test("A caller that keeps nothing leaves nothing, and gets what others left")
    func keepingNothing() async throws {
        let fetcher = fetcher(lifetimeSeconds: 86_400)
        let answer = try await fetcher.keepingNothing.history(answering: .receipt(base64: "AAAA"), for: "b")
        #expect(kept(fetcher, "AAAA", of: "b") == nil)
        _ = try await fetcher.history(answering: .receipt(base64: "AAAA"), for: "b")
        #expect(kept(fetcher.keepingNothing, "AAAA", of: "b") == answer)
        #expect(transport.requests.count == 2)
    }

    private func fault(
        _ fetcher: AppStoreEvidenceFetcher,
        _ receipt: String,
        of app: String = "b"
    ) async -> EvidenceFault? {
        do throws(EvidenceFault) {
            _ = try await fetcher.history(answering: .receipt(base64: receipt), for: app)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A receipt that Apple doubts is not asked about again for a while, though answers have no life",
        arguments: [0, 86_400]
    )
    func doubted(lifetimeSeconds: Int) async throws {
        let transport = ScriptedTransport(Array(repeating: .reply(#"{"status":21002}"#), count: 12))
        let fetcher = fetcher(lifetimeSeconds: lifetimeSeconds, over: transport)
        #expect(await fault(fetcher.keepingNothing, "AAAA") == .receiptDoubted)
        #expect(transport.requests.count == 2)
        for _ in 0..<3 { #expect(await fault(fetcher, "AAAA") == .receiptDoubted) }
        #expect(transport.requests.count == 4)
        #expect(kept(fetcher, "AAAA", of: "b") == nil)
        #expect(await fault(fetcher, "AAAB") == .receiptDoubted)
        #expect(await fault(fetcher, "AAAA", of: "c") == .receiptDoubted)
        #expect(transport.requests.count == 8)
    }

    @Test("Other refusals are asked again: nothing of them is kept")
    func refused() async throws {
        let transport = ScriptedTransport(Array(repeating: .reply(#"{"status":21003}"#), count: 2))
        let fetcher = fetcher(lifetimeSeconds: 86_400, over: transport)
        for _ in 0..<2 { #expect(await fault(fetcher, "AAAA")?.code == "receipt_status") }
        #expect(transport.requests.count == 2)
    }
}
