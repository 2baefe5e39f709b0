import KeptLog
import LedgerFixtures
import NIOCore
import NIOEmbedded
import OfferService
import PrometheusMetrics
import Synchronization
import Testing

@testable import OfferAPI
@testable import Offers

@Suite("Requests that are answered at the end of an event loop's tick")
struct TickQueueTests {
    /// The App Store, which has to be asked, and answers when it may.
    private final class AppStore: EvidenceFetcher {
        private let isOpen = Mutex(true)

        func open(_ isOpen: Bool) { self.isOpen.withLock { $0 = isOpen } }

        func history(
            answering question: AppStoreQuestion,
            for bundleId: String,
            by client: String?,
            needsWholeHistory: Bool
        ) async throws(EvidenceFault) -> Book {
            while !isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
            let now = PublicEndpoints.noon
            let paid = Transaction("1", "p", from: now.adding(days: -1), until: now.adding(days: 1))
            let renewal = RenewalInfo(originalTransactionId: "1", productId: "p", autoRenewStatus: true)
            return Book(of: bundleId, asOf: now, [renewal], [paid])
        }
    }

    /// A ledger that commits when it may, and keeps how many entries came together.
    private final class SlowLedger: SignatureLedger {
        private struct State {
            var batches: [[LedgerEntry]] = []
            var waiting: [@Sendable () -> Void] = []
            var isOpen = true
        }

        private let state = Mutex(State())

        var batches: [Int] { state.withLock { $0.batches.map(\.count) } }

        func open(_ isOpen: Bool) {
            let waiting = state.withLock { state in
                state.isOpen = isOpen
                defer { state.waiting = [] }
                return isOpen ? state.waiting : []
            }
            for completion in waiting { completion() }
        }

        func append(
            _ entries: [LedgerEntry],
            completion: @escaping @Sendable (_ places: [Int], Result<[[GrantOutcome]], StorageFailure>) -> Void
        ) {
            let commit = { @Sendable in
                completion(Array(entries.indices), .success(entries.map { $0.grants.map { _ in .recorded } }))
            }
            let isOpen = state.withLock { state in
                state.batches.append(entries)
                if !state.isOpen { state.waiting.append(commit) }
                return state.isOpen
            }
            if isOpen { commit() }
        }

        func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer { LedgerAnswer() }
    }

    private let ledger = SlowLedger()
    private let appStore = AppStore()
    private let registry = PrometheusRegistry()
    /// Keeps which request each line that is logged is about.
    private let log = KeptLog { _ in RequestIdentity.current?.id.text ?? "none" }

    /// What answers by a catalog of so many offers.
    private func listener(
        offers count: Int = 1,
        requestsAtOnce: Int? = nil,
        maximumWaitingOffers: Int = 160,
        usages: ClientUsages = ClientUsages(),
        ledger: (any SignatureLedger)? = nil
    ) -> TestListener {
        let offers = (0..<count).map { PromotionalOffer(id: "o\($0)") }
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: offers)])
        let client = Client(
            name: "abc",
            tokenSHA256: [sha256OfAbc],
            apps: ["a"],
            evidence: Set(EvidenceKind.allCases),
            concurrentRequests: requestsAtOnce
        )
        let app = SigningApp(
            app: App(bundleId: "a", subscriptionGroups: [group]),
            signer: ConstantSigner(),
            issuerId: "i"
        )
        return TestListener(
            PublicEndpoints.test(client, usages: usages, apps: [app], asking: appStore, ledger: ledger ?? self.ledger),
            maximumWaitingOffers: maximumWaitingOffers,
            metrics: RequestMetrics(factory: registry),
            logger: log.logger
        )
    }

    private static let subscriber = #"""
        "evidence":{"receiptResponse":{"status":0,"environment":"Production","receipt":{"bundle_id":"a",
        "request_date_ms":"1795262400000"},"latest_receipt_info":[{"original_transaction_id":"1","transaction_id":"1",
        "product_id":"p","purchase_date_ms":"1795176000000","expires_date_ms":"1795348800000"}],
        "pending_renewal_info":[{"original_transaction_id":"1","product_id":"p","auto_renew_status":"1"}]}}
        """#
    /// The two calls for signatures, which go by the same steps.
    private enum Call: String, CaseIterable {
        case promotional = "/v1/signatures"
        case introductory = "/v1/introductory-eligibility-signatures"

        /// So many signatures for the customer of some evidence.
        func request(_ count: Int = 1, evidence: String = TickQueueTests.subscriber) -> TestRequest {
            let (name, one) =
                self == .promotional ? ("offers", #"{"productId":"p","offerId":"o0"}"#) : ("products", #""p""#)
            let list = Array(repeating: one, count: count).joined(separator: ",")
            return TestRequest(rawValue, "{\(evidence),\"\(name)\":[\(list)]}")
        }

        /// A signature for a customer whom the App Store has to be asked about.
        var question: TestRequest { request(evidence: #""evidence":{"transactionId":"1"}"#) }
    }

    private static let eligibility = TestRequest("/v1/eligibility", #"{"applicationUsername":"a"}"#)

    private static func signatures(_ count: Int = 1) -> TestRequest { Call.promotional.request(count) }

    private func counted(_ start: String) -> [String] {
        String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix(start) }
    }

    /// Sends a request on each of some connections, before anything is answered.
    private func send(_ requests: [TestRequest], to listener: TestListener) async throws -> [TestConnection] {
        var connections: [TestConnection] = []
        for _ in requests { connections.append(try await listener.connect()) }
        for (connection, request) in zip(connections, requests) { try await connection.send(request) }
        return connections
    }

    @Test("The requests of one tick are signed and recorded together", arguments: Call.allCases)
    private func together(call: Call) async throws {
        let listener = listener()
        let connections = try await send(Array(repeating: call.request(), count: 3), to: listener)
        #expect(ledger.batches == [])
        for connection in connections {
            let answer = try await connection.receive()
            #expect(answer.status == 200)
            #expect(answer.body.contains(call == .promotional ? #""signature":"# : #""jws":"#))
        }
        #expect(ledger.batches == [3])
        #expect(try await listener.ask(call.request()).status == 200)
        #expect(ledger.batches == [3, 1])
        #expect(counted("offer_signer_queue_wait_seconds_count") == ["offer_signer_queue_wait_seconds_count 4"])
    }

    @Test("A large catalog is decided in a task, and holds up no other request of the event loop")
    func largeCatalog() async throws {
        let connections = try await send(
            Array(repeating: Self.eligibility, count: 5),
            to: listener(offers: PublicEndpoints.offersPerTick + 1)
        )
        // The clock of the event loop stands still, so that there is no other turn.
        for connection in connections { #expect(try await connection.receive().status == 200) }
    }

    @Test("Of many requests that ask for much, the event loop takes a few, and looks after others before the rest")
    func turns() async throws {
        let listener = listener(offers: 100)
        let connections = try await send(Array(repeating: Self.eligibility, count: 5), to: listener)
        await listener.loop.run()
        func answered() async throws -> [Bool] {
            var answered: [Bool] = []
            for connection in connections {
                answered.append(try await connection.channel.readOutbound(as: ByteBuffer.self) != nil)
            }
            return answered
        }
        #expect(try await answered() == [true, true, false, false, false])
        await listener.loop.advanceTime(by: .microseconds(50))
        #expect(try await answered() == [false, false, true, true, false])
        await listener.loop.advanceTime(by: .microseconds(50))
        #expect(try await answered() == [false, false, false, false, true])
    }

    @Test("A request that comes while those of a tick are answered goes into the next tick")
    func meanwhile() async throws {
        let listener = listener()
        // The second request on a connection comes when the first is answered: at once, as it makes no sense.
        let connections = try await send([TestRequest("/v1/signatures", "{"), Self.signatures()], to: listener)
        try await connections[0].send(Self.signatures())
        await listener.loop.run()
        #expect(ledger.batches == [1, 1])
        #expect(try await connections[0].received()?.status == 400)
        for connection in connections { #expect(try await connection.received()?.status == 200) }
    }

    @Test("A request that comes while others are answered waits behind those that were there before, and their pause")
    func meanwhileBehind() async throws {
        let listener = listener(offers: 100)
        func question(_ id: String) -> TestRequest {
            TestRequest("/v1/eligibility", #"{"applicationUsername":"a"}"#, fields: ["X-Request-ID: \(id)"])
        }
        let connections = try await send([question("1"), question("2"), question("3")], to: listener)
        try await connections[0].send(question("4"))
        await listener.loop.run()
        #expect(log.takeLines() == ["1", "2"])
        await listener.loop.advanceTime(by: .microseconds(50))
        #expect(log.takeLines() == ["3", "4"])
    }

    @Test(
        "Beyond the offers that may wait, the next request is refused at once, and taken when the ledger has them",
        arguments: Call.allCases
    )
    private func bound(call: Call) async throws {
        let listener = listener(maximumWaitingOffers: 50)
        ledger.open(false)
        let waiting = try await send([call.request(20), call.request(20)], to: listener)
        await listener.loop.run()
        let refused = try await listener.askAtOnce(Self.signatures(20))
        #expect(refused?.summary == "503 overloaded ")
        #expect(refused?.field("Retry-After") == "1")
        #expect(try await listener.askAtOnce(Self.eligibility)?.status == 200, "what needs no ledger is answered")
        #expect(try await listener.askAtOnce(call.request(11))?.status == 503, "every offer of a request counts")
        #expect(ledger.batches == [2])
        ledger.open(true)
        for connection in waiting { #expect(try await connection.receive().status == 200) }
        #expect(try await listener.ask(call.request(100)).status == 200)
        let refusals = counted("offer_signer_requests_total").filter { $0.contains(#"status="503",client="abc""#) }
        #expect(refusals.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +) == 2)
    }

    @Test("Of one tick, too, no more is signed than may wait", arguments: Call.allCases)
    private func boundWithinTick(call: Call) async throws {
        let listener = listener(maximumWaitingOffers: 50)
        let connections = try await send(Array(repeating: call.request(20), count: 4), to: listener)
        var statuses: [Int] = []
        for connection in connections { statuses.append(try await connection.receive().status) }
        #expect(statuses == [200, 200, 503, 503])
        #expect(ledger.batches == [2])
    }

    @Test(
        "A request is taken to ask for as many signatures as those before it, and refused where so many have no room",
        arguments: Call.allCases
    )
    private func boundOfTurns(call: Call) async throws {
        let listener = listener(maximumWaitingOffers: 200)
        let burst = try await send(Array(repeating: call.request(20), count: 10), to: listener)
        await listener.loop.run()
        // Three of them wait, and each of the next counts as twenty.
        let next = try await send(Array(repeating: call.request(20), count: 12), to: listener)
        for refused in next.suffix(2) { #expect(try await refused.received()?.status == 503) }
        await listener.loop.advanceTime(by: .milliseconds(1))
        for connection in burst + next.dropLast(2) { #expect(try await connection.receive().status == 200) }
        #expect(try await listener.ask(call.request(1)).status == 200)
        let later = try await send(Array(repeating: call.request(1), count: 40), to: listener)
        for connection in later { #expect(try await connection.receive().status == 200) }
    }

    @Test("So many offers may wait in the process, whichever event loops they are on")
    func acrossLoops() async throws {
        let listener = listener(maximumWaitingOffers: 1)
        ledger.open(false)
        let waiting = try await send([Self.signatures()], to: listener)[0]
        await listener.loop.run()
        let other = NIOAsyncTestingEventLoop()
        func askThere() async throws -> Int {
            let connection = try await listener.connect(on: other)
            try await connection.send(Self.signatures())
            return try await connection.receive().status
        }
        #expect(try await askThere() == 503)
        ledger.open(true)
        #expect(try await waiting.receive().status == 200)
        #expect(try await askThere() == 200)
    }

    @Test("A request that waits for the App Store takes no place from others", arguments: Call.allCases)
    private func asking(call: Call) async throws {
        let listener = listener(maximumWaitingOffers: 1)
        appStore.open(false)
        let waiting = try await send([call.question], to: listener)
        await listener.loop.run()
        let second = try await send([call.question], to: listener)
        #expect(try await listener.ask(Self.signatures()).status == 200)
        appStore.open(true)
        for connection in waiting + second { #expect(try await connection.receive().status == 200) }
    }

    @Test("A request that waits for the App Store has its body, whose bytes are another's", arguments: Call.allCases)
    private func askingTakesNoBytes(call: Call) async throws {
        let listener = listener(usages: ClientUsages(maximumUnfinishedBytes: 2 * call.question.body.utf8.count))
        appStore.open(false)
        let first = try await send([call.question], to: listener)
        await listener.loop.run()
        let second = try await send([call.question], to: listener)
        appStore.open(true)
        for connection in first + second { #expect(try await connection.receive().status == 200) }
    }

    @Test("After a wait for the App Store a request is recorded in any case, and its offers count")
    func askingBeyondTheBound() async throws {
        let listener = listener(maximumWaitingOffers: 1)
        appStore.open(false)
        ledger.open(false)
        var waiting: [TestConnection] = []
        for call in Call.allCases {
            waiting += try await send([call.question], to: listener)
            await listener.loop.run()
        }
        appStore.open(true)
        for _ in 0..<30_000 where ledger.batches.count < 2 {
            try await Task.sleep(for: .milliseconds(1))
            await listener.loop.run()
        }
        #expect(ledger.batches == [1, 1])
        for call in Call.allCases { #expect(try await listener.askAtOnce(call.request())?.status == 503) }
        ledger.open(true)
        for connection in waiting { #expect(try await connection.receive().status == 200) }
        for call in Call.allCases { #expect(try await listener.ask(call.request()).status == 200) }
    }

    @Test(
        "A client that has gone while the App Store was asked gets nothing signed, and leaves the place to the next",
        arguments: Call.allCases
    )
    private func gone(call: Call) async throws {
        let listener = listener(requestsAtOnce: 1)
        appStore.open(false)
        let lost = try await send([call.question], to: listener)[0]
        await listener.loop.run()
        #expect(try await listener.ask(call.question).status == 429)
        try await lost.close()
        appStore.open(true)
        // As long as its request goes on, the client may have no other.
        while try await listener.ask(call.question).status != 200 { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(ledger.batches == [1])
        let none = "offer_signer_requests_total{route=\"\(call.rawValue)\",status=\"none\",client=\"abc\"}"
        #expect(counted(none) == [none + " 1"])
    }

    @Test("A client that has gone before its turn came gets nothing signed, and is counted once")
    func goneBefore() async throws {
        let listener = listener(maximumWaitingOffers: 1)
        let (channel, request) = (try await listener.connect().channel, ByteBuffer(string: Self.signatures().text))
        try await listener.loop.executeInContext {
            channel.pipeline.fireChannelRead(request)
            channel.pipeline.fireChannelInactive()
        }
        #expect(try await listener.ask(Self.signatures()).status == 200, "the place is free")
        #expect(ledger.batches == [1])
        let none = #"offer_signer_requests_total{route="/v1/signatures",status="none",client="abc"}"#
        #expect(counted(none) == [none + " 1"])
    }

    @Test("The log lines of a call that fails name its request")
    func logged() async throws {
        let listener = listener(ledger: ScriptedLedger(failure: StorageFailure(.refused, "full")))
        var request = Call.promotional.question
        request.fields = ["X-Request-ID: order-1"]
        #expect(try await listener.ask(request).status == 503)
        #expect(log.takeLines() == ["order-1", "order-1"], "its fault, and its end")
    }
}
