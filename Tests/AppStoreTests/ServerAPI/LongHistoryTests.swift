import LedgerFixtures
import Offers
import SignedDataFixtures
import Synchronization
import Testing

@testable import AppStore

@Suite("A history that takes longer to read than a question may take")
struct LongHistoryTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private let answers: SignedAnswers
    private let signed: [String]

    /// Seven transactions, one for each page; the last is the newest.
    init() throws {
        let answers = try SignedAnswers()
        self.answers = answers
        signed = try (1...7).map { try answers.signer.sign(SignedAnswers.transaction($0)) }
    }

    /// A fetcher whose clock goes on by a second each time it is read.
    private func fetcher(_ transport: any HTTPTransport, deadline: Duration = .seconds(600)) -> AppStoreEvidenceFetcher
    {
        let clock = Mutex(Self.now)
        return AppStoreEvidenceFetcher(
            [
                AppStoreApp(
                    bundleId: "b",
                    environments: [.production],
                    serverAPI: SignedAnswers.credentials,
                    answerLifetimeSeconds: 0,
                    countsRedemptions: true
                )
            ],
            over: transport,
            verifier: answers.verifier,
            deadline: deadline,
            now: {
                clock.withLock { now in
                    defer { now = now.adding(seconds: 1) }
                    return now
                }
            }
        )
    }

    private func ask(_ fetcher: AppStoreEvidenceFetcher) async -> Result<Book, EvidenceFault> {
        do throws(EvidenceFault) {
            return .success(try await fetcher.history(answering: .transactionId("7"), for: "b"))
        } catch {
            return .failure(error)
        }
    }

    private var statuses: SignedAnswers.Reply { SignedAnswers.statuses(2, signed[6]) }

    /// The page that has the transaction of a number.
    private func page(_ number: Int) -> SignedAnswers.Reply {
        SignedAnswers.page([signed[number - 1]], next: number < signed.count ? "r\(number)" : nil)
    }

    @Test("The next question goes on where the last one ended, and its answer is as old as the first")
    func goesOn() async throws {
        let patience = SignedAnswers.Reply.reply("", status: 429, retryAfter: "7")
        let transport = ScriptedTransport(
            [statuses, page(1), page(2), patience, page(3), patience] + (4...7).map(page) + [statuses, page(7)]
        )
        let fetcher = fetcher(transport)
        for pages in [2, 3] {
            guard case .failure(let fault) = await ask(fetcher) else {
                Issue.record("The history was answered before its last page.")
                return
            }
            #expect(fault.kind == .unavailable(retryAfterSeconds: 7))
            #expect(fault.detail.contains(" \(pages) pages "))
        }
        let history = try await ask(fetcher).get()
        #expect(history.coverage == .complete)
        #expect(history.asOf == Self.now)
        #expect(history.transactions.compactMap(\.transactionId).sorted() == (1...7).map(String.init))
        let call = "production/inApps/v2/history/7?productType=AUTO_RENEWABLE"
        let pages = [call, "r1", "r2", "r2", "r3", "r3", "r4", "r5", "r6"].map {
            $0 == call ? $0 : "\(call)&revision=\($0)"
        }
        #expect(transport.requests.map(\.url) == ["production/inApps/v1/subscriptions/7"] + pages)
        // What was answered is not gone on with: the next question begins anew.
        #expect(try await ask(fetcher).get().asOf != Self.now)
        #expect(transport.requests.count == 12)
    }

    @Test("A page that is not genuine, or a customer whom Apple no longer knows, ends it: nothing of it is kept")
    func ends() async throws {
        let stranger = try TestAuthority().signer().sign("{}")
        let forged = SignedAnswers.Reply.reply(#"{"hasMore":false,"signedTransactions":["\#(stranger)"]}"#)
        let unknown = SignedAnswers.Reply.reply(#"{"errorCode":4040001}"#, status: 404)
        for end in [forged, unknown] {
            let transport = ScriptedTransport([statuses, page(1), end, statuses])
            let fetcher = fetcher(transport)
            for _ in 0..<2 { _ = await ask(fetcher) }
            #expect(transport.requests.map(\.url).count { $0.contains("subscriptions") } == 2)
        }
    }

    @Test("At the pace that Apple allows, however many questions it takes, each page is read once")
    func pace() async throws {
        let pages = PagedTransport(statuses: statuses, pages: (1...7).map(page))
        let now = Self.now
        // A question has time for some of the pages, and not for all.
        let deadline = Duration.milliseconds(400)
        let throttled = ThrottledTransport(pages, requestsPerSecond: 5, deadline: deadline, now: { now })
        let fetcher = fetcher(throttled, deadline: deadline)
        var outcome = await ask(fetcher)
        for _ in 0..<200 {
            guard case .failure(let fault) = outcome else { break }
            #expect(fault.code == "app_store_unavailable")
            try await Task.sleep(for: .milliseconds(20))
            outcome = await ask(fetcher)
        }
        #expect(try outcome.get().transactions.count == 7)
        #expect(pages.count == 7)
    }

    @Test("Kept histories are bounded in number and time, and the longest stay")
    func bounds() throws {
        guard case .success(let first) = statuses, case .success(let second) = page(1) else { return }
        let begun = try HistoryUnderWay(
            StatusResponse(json: first.body),
            verifiedBy: answers.verifier,
            in: .production,
            asOf: Self.now
        )
        var further = begun
        try further.add(HistoryResponse(json: second.body), verifiedBy: answers.verifier)
        func key(_ number: Int) -> QuestionKey { QuestionKey(.transactionId("\(number)"), of: "b") }
        let histories = HistoriesUnderWay()
        let now = begun.beginning
        for number in 0...HistoriesUnderWay.capacity { histories.store(begun, for: key(number), at: now) }
        histories.store(further, for: key(-1), at: now)
        let kept = (-1...HistoriesUnderWay.capacity).filter { histories.removeHistory(for: key($0), at: now) != nil }
        #expect(kept.count == HistoriesUnderWay.capacity)
        #expect(kept.first == -1)
        histories.store(further, for: key(1), at: now)
        #expect(histories.removeHistory(for: key(1), at: now + HistoriesUnderWay.lifetime) == nil)
        #expect(histories.removeHistory(for: key(1), at: now) == nil)
    }
}

/// Answers with the statuses, and with the page that is asked for.
private struct PagedTransport: HTTPTransport {
    private let statuses: SignedAnswers.Reply
    private let pages: [SignedAnswers.Reply]
    private let asked = Asked()

    private final class Asked: Sendable { let count = Mutex(0) }

    init(statuses: SignedAnswers.Reply, pages: [SignedAnswers.Reply]) {
        self.statuses = statuses
        self.pages = pages
    }

    /// How often it was asked for a page.
    var count: Int { asked.count.withLock { $0 } }

    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        guard request.path.contains("/history/") else { return try statuses.get() }
        asked.count.withLock { $0 += 1 }
        let revision = request.path.split(separator: "revision=r").dropFirst().first.flatMap { Int($0) } ?? 0
        return try pages[revision].get()
    }

    func shutdown() async {}
}
