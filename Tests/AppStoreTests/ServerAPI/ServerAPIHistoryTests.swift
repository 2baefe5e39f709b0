import LedgerFixtures
import Offers
import SignedDataFixtures
import Synchronization
import Testing

@testable import AppStore

@Suite("Asking the App Store Server API for the whole history")
struct ServerAPIHistoryTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private let answers: SignedAnswers

    init() throws { answers = try SignedAnswers() }

    private func ask(
        _ replies: [SignedAnswers.Reply],
        countsRedemptions: Bool = true,
        needsWholeHistory: Bool = false,
        now: @escaping @Sendable () -> Timestamp = { Self.now }
    ) async -> (outcome: Result<Book, EvidenceFault>, urls: [String]) {
        let transport = ScriptedTransport(replies)
        let fetcher = AppStoreEvidenceFetcher(
            [
                AppStoreApp(
                    bundleId: "b",
                    environments: [.production, .sandbox],
                    serverAPI: SignedAnswers.credentials,
                    countsRedemptions: countsRedemptions
                )
            ],
            over: transport,
            verifier: answers.verifier,
            now: now
        )
        do throws(EvidenceFault) {
            let history = try await fetcher.history(
                answering: .transactionId("9"),
                for: "b",
                needsWholeHistory: needsWholeHistory
            )
            return (.success(history), transport.requests.map(\.url))
        } catch {
            return (.failure(error), transport.requests.map(\.url))
        }
    }

    private func transaction(
        _ number: Int64,
        offer: String? = nil,
        environment: String = "Production",
        type: String = "Auto-Renewable Subscription"
    ) throws -> String {
        try answers.signer.sign(SignedAnswers.transaction(number, offer: offer, environment: environment, type: type))
    }

    private func statuses(status: Int = 2, environment: String = "Production") throws -> SignedAnswers.Reply {
        let signed = try transaction(9, environment: environment)
        return SignedAnswers.statuses(status, signed, environment: environment)
    }

    private func page(_ transactions: [String], next: String? = nil) -> SignedAnswers.Reply {
        SignedAnswers.page(transactions, next: next)
    }

    @Test("Page by page, each transaction once, and the history is complete then")
    func pages() async throws {
        let (outcome, urls) = await ask([
            try statuses(), page([try transaction(1, offer: "o"), try transaction(2)], next: "a b/+"),
            page([try transaction(3, offer: "o"), try transaction(9)]),
        ])
        let history = try outcome.get()
        #expect(history.coverage == .complete)
        #expect(history.transactions.compactMap(\.transactionId).sorted() == ["1", "2", "3", "9"])
        #expect(history.renewals?.count == 1)
        let call = "production/inApps/v2/history/9?productType=AUTO_RENEWABLE"
        #expect(urls == ["production/inApps/v1/subscriptions/9", call, call + "&revision=a%20b%2F%2B"])
        let app = App(bundleId: "b", subscriptionGroups: [SubscriptionGroup(id: "1", products: [Product(id: "p")])])
        #expect(RedemptionTally(history, of: app, at: Self.now).redemptions(ofOffer: "o", inGroup: "1") == 2)
    }

    @Test("An answer is as old as its question: later events may be missing in it", arguments: [false, true])
    func date(isWhole: Bool) async throws {
        let clock = Mutex(Self.now)
        let (outcome, urls) = await ask(
            [try statuses(), page([try transaction(9)])],
            countsRedemptions: isWhole,
            now: {
                clock.withLock { now in
                    defer { now = now.adding(seconds: 1) }
                    return now
                }
            }
        )
        #expect(try outcome.get().asOf == Self.now)
        #expect(urls.count == (isWhole ? 2 : 1))
    }

    @Test("It is asked for where redemptions are counted or the question needs it, and of customers who subscribed")
    func need() async throws {
        let without = await ask([try statuses()], countsRedemptions: false)
        #expect(without.urls.count == 1)
        #expect(try without.outcome.get().coverage == .newestTransactions)
        let needed = await ask([try statuses(), page([])], countsRedemptions: false, needsWholeHistory: true)
        #expect(try needed.outcome.get().coverage == .complete)
        let nobody = await ask([.reply(#"{"environment":"Production","bundleId":"b","data":[]}"#)])
        #expect(nobody.urls.count == 1)
        #expect(try nobody.outcome.get().transactions.isEmpty)
    }

    @Test("The environment that knows the customer is asked for the history")
    func sandbox() async throws {
        let (outcome, urls) = await ask([
            .reply(#"{"errorCode":4040010,"errorMessage":"m"}"#, status: 404), try statuses(environment: "Sandbox"),
            page([try transaction(1, environment: "Sandbox")]),
        ])
        #expect(try outcome.get().transactions.count == 2)
        #expect(urls.last == "sandbox/inApps/v2/history/9?productType=AUTO_RENEWABLE")
    }

    @Test("A revoked subscription's newest transaction is refunded, its earlier ones are not")
    func revoked() async throws {
        let history = try await ask([try statuses(status: 5), page([try transaction(1), try transaction(9)])])
            .outcome.get()
        let dates = Dictionary(
            history.transactions.map { ($0.transactionId ?? "", $0.revocationDate) },
            uniquingKeysWith: { $1 }
        )
        #expect(dates == ["1": nil, "9": Self.now])
    }

    @Test("A page that fails is asked for again; one that is missing, forged or endless is no history")
    func failures() async throws {
        let busy = SignedAnswers.Reply.reply("<html>", status: 503)
        let again = await ask([try statuses(), busy, page([try transaction(1)])])
        #expect(try again.outcome.get().transactions.count == 2)
        let stranger = try TestAuthority().signer().sign("{}")
        let good = page([try transaction(1)])
        let endless = (0...ServerAPIClient.mostPages).map { page([], next: "r\($0)") }
        // What is asked after the statuses, however much more there would be to hear.
        let faults: [([SignedAnswers.Reply], Int)] = [
            ([busy, busy, busy, good], 3), ([page([stranger]), good], 1),
            ([.reply("{}"), .reply("{}"), .reply("{}"), good], 3),
            ([page([], next: "r"), page([], next: "r"), good], 2),
            ([page([try transaction(1, environment: "Sandbox")]), good], 1), (endless, ServerAPIClient.mostPages),
            ([.reply(#"{"hasMore":true,"signedTransactions":[]}"#), good], 1),
        ]
        for (index, (replies, questions)) in faults.enumerated() {
            let result = await ask([try statuses()] + replies)
            #expect(result.outcome.code == "app_store_unavailable", "\(index)")
            #expect(result.urls.count == 1 + questions, "\(index)")
        }
    }

    @Test("The history of a customer whom one environment knows is not asked for in the other")
    func oneEnvironment() async throws {
        let unknown = SignedAnswers.Reply.reply(#"{"errorCode":4040010}"#, status: 404)
        let result = await ask([try statuses(), unknown, page([try transaction(1)])])
        #expect(result.outcome.code == "transaction_not_found")
        #expect(result.urls.count == 2)
    }

    @Test("A purchase that is no subscription does not make its buyer a subscriber")
    func others() async throws {
        let history = try await ask([try statuses(), page([try transaction(1, type: "Consumable")])]).outcome.get()
        #expect(history.transactions.compactMap(\.transactionId) == ["9"])
    }
}
