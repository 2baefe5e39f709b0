import AppStore
import HTTPTypes
import KeptLog
import LedgerFixtures
import NIOCore
import NIOEmbedded
import OfferService
import Offers
import PrometheusMetrics
import Synchronization
import Testing

@testable import OfferAPI

@Suite("Requests that the event loop answers by itself")
struct OffersOnLoopTests {
    private struct Signer: ES256Signer {
        let keyIdentifier = "EXAMPLE123"

        func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] { [1] }
    }

    /// The App Store, which has to be asked.
    private struct AppStore: EvidenceFetcher {
        func history(
            answering question: AppStoreQuestion,
            for bundleId: String,
            needsWholeHistory: Bool
        ) async throws(EvidenceFault) -> SubscriptionHistory {
            let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
            return SubscriptionHistory(
                bundleId: bundleId,
                environment: .production,
                asOf: now,
                renewals: [RenewalInfo(originalTransactionId: "1", productId: "p", autoRenewStatus: true)],
                transactions: [
                    Transaction(
                        originalTransactionId: "1",
                        productId: "p",
                        purchaseDate: now.adding(seconds: -86_400),
                        expiresDate: now.adding(seconds: 86_400),
                        transactionId: "1"
                    )
                ]
            )
        }
    }

    /// The statuses of the answers that a client got.
    private final class Answers: Sendable {
        let statuses = Mutex<[Int]>([])
    }

    private final class Caller: LoopConnection {
        let answers: Answers
        var isWaiting = true

        init(_ answers: Answers) { self.answers = answers }

        func send(_ answer: consuming LoopAnswer) {
            let status = answer.status
            answers.statuses.withLock { $0.append(status) }
        }
    }

    private let ledger = ScriptedLedger()
    /// Keeps which request each line that is logged is about.
    private let log = KeptLog { _ in RequestIdentity.current?.id.text ?? "none" }

    /// What answers by a catalog of so many offers.
    private func responder(
        offers count: Int,
        requestsAtOnce: Int? = 1,
        ledger: ScriptedLedger? = nil
    ) -> OffersOnLoop {
        let offers = (0..<count).map { PromotionalOffer(id: "o\($0)") }
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: offers)])
        let endpoints = LoopEndpoints(
            clients: ClientDirectory([
                Client(
                    name: "abc",
                    tokenSHA256: [sha256OfAbc],
                    apps: ["a"],
                    evidence: Set(EvidenceKind.allCases),
                    concurrentRequests: requestsAtOnce
                )
            ]),
            signOffers: SignOffers(
                apps: [SigningApp(app: App(bundleId: "a", subscriptionGroups: [group]), signer: Signer())],
                evidenceReader: AppStoreEvidenceReader(),
                evidenceFetcher: AppStore(),
                maximumEvidenceAgeSeconds: 0,
                ledger: ledger ?? self.ledger,
                now: { Timestamp(millisecondsSince1970: 1_795_262_400_000) }
            )
        )
        return OffersOnLoop(
            endpoints: { endpoints },
            telemetry: RequestTelemetry(metrics: RequestMetrics(), logger: log.logger)
        )
    }

    /// Asks for all offers of the catalog.
    ///
    /// - Returns: How many answers there were before the event loop could look after anybody else.
    private func ask(_ responder: OffersOnLoop, _ answers: Answers, on loop: NIOAsyncTestingEventLoop) async throws
        -> Int
    {
        try await loop.executeInContext {
            let call = call("/v1/eligibility", #"{"applicationUsername":"a"}"#, by: Caller(answers))
            _ = responder.answer([call], on: loop)
            return answers.statuses.withLock { $0.count }
        }
    }

    private func call(
        _ path: String,
        _ body: String,
        by caller: Caller,
        progress: RequestProgress = RequestProgress(nil)
    ) -> LoopCall {
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: path)
        request.headerFields = [.authorization: "Bearer abc", .contentType: "application/json"]
        return LoopCall(RequestHead(request), ByteBuffer(string: body), progress: progress, on: caller)
    }

    @Test("Signatures that wait for the ledger take no place from questions, nor from what goes to the router")
    func queues() {
        let responder = responder(offers: 1)
        func queue(_ method: HTTPRequest.Method, _ path: String) -> AdmissionControl.Queue? {
            responder.queue(of: RequestHead(HTTPRequest(method: method, scheme: nil, authority: nil, path: path)))
        }
        #expect(queue(.post, "/v1/signatures") == .signature)
        #expect(queue(.post, "/v1/eligibility") == .answer)
        #expect(queue(.get, "/v1/eligibility") == nil)
        #expect(queue(.post, "/v1/diagnoses") == nil)
        let admission = AdmissionControl()
        while admission.enter(.signature) != nil {}
        #expect(!admission.hasRoom(in: .signature))
        #expect(admission.hasRoom(in: .answer))
        #expect(admission.hasRoom(in: .task))
    }

    @Test("A few offers are decided at once")
    func few() async throws {
        let (loop, answers) = (NIOAsyncTestingEventLoop(), Answers())
        #expect(try await ask(responder(offers: 200), answers, on: loop) == 1)
        #expect(answers.statuses.withLock { $0 } == [200])
        await loop.shutdownGracefully()
    }

    @Test("Of many requests that ask for much, the event loop takes a few, and looks after others before the rest")
    func turns() async throws {
        let (loop, answers) = (NIOAsyncTestingEventLoop(), Answers())
        let responder = responder(offers: 200, requestsAtOnce: nil)
        try await loop.executeInContext {
            let calls = (0..<5).map { _ in
                call("/v1/eligibility", #"{"applicationUsername":"a"}"#, by: Caller(answers))
            }
            #expect(responder.answer(calls, on: loop) == 2)
        }
        #expect(answers.statuses.withLock { $0 } == [200, 200])
        await loop.shutdownGracefully()
    }

    @Test("A large catalog keeps nobody else on the event loop waiting")
    func many() async throws {
        let (loop, answers) = (NIOAsyncTestingEventLoop(), Answers())
        #expect(try await ask(responder(offers: 300), answers, on: loop) == 0)
        while answers.statuses.withLock(\.isEmpty) { await loop.run() }
        #expect(answers.statuses.withLock { $0 } == [200])
        await loop.shutdownGracefully()
    }

    @Test("Who waits for the App Store has no place among those that wait for the event loop")
    func asking() async throws {
        let (loop, answers, admission) = (NIOAsyncTestingEventLoop(), Answers(), AdmissionControl())
        let responder = responder(offers: 1)
        let question = #"{"evidence":{"transactionId":"1"},"offers":[{"productId":"p","offerId":"o0"}]}"#
        try await loop.executeInContext {
            let progress = RequestProgress(admission)
            #expect(progress.enter(.signature))
            let call = call("/v1/signatures", question, by: Caller(answers), progress: progress)
            #expect(responder.answer([call], on: loop) == 1)
            #expect(answers.statuses.withLock { $0 } == [])
            #expect(admission.enter(.signature) == 1)
        }
        while answers.statuses.withLock(\.isEmpty) { await loop.run() }
        #expect(answers.statuses.withLock { $0 } == [200])
        await loop.shutdownGracefully()
    }

    @Test("Who has gone while the App Store was asked gets nothing signed, and leaves the place to the next")
    func gone() async throws {
        let (loop, responder) = (NIOAsyncTestingEventLoop(), responder(offers: 1))
        let (lost, answers) = (Answers(), Answers())
        let question = #"{"evidence":{"transactionId":"1"},"offers":[{"productId":"p","offerId":"o0"}]}"#
        try await loop.executeInContext {
            let caller = Caller(lost)
            _ = responder.answer([call("/v1/signatures", question, by: caller)], on: loop)
            caller.isWaiting = false
        }
        // As long as its request goes on, the client may have no other.
        while answers.statuses.withLock({ !$0.contains(200) }) {
            try await loop.executeInContext {
                _ = responder.answer([call("/v1/signatures", question, by: Caller(answers))], on: loop)
            }
            for _ in 0..<10 { await Task.yield() }
            await loop.run()
        }
        #expect(lost.statuses.withLock { $0 } == [])
        #expect(ledger.entries.count == 1)
        await loop.shutdownGracefully()
    }

    @Test("What is logged of a call that fails names its request")
    func logged() async throws {
        let (loop, answers) = (NIOAsyncTestingEventLoop(), Answers())
        let responder = responder(offers: 1, ledger: ScriptedLedger(failure: LedgerFailure(.refused, "full")))
        let question = #"{"evidence":{"transactionId":"1"},"offers":[{"productId":"p","offerId":"o0"}]}"#
        let request = try await loop.executeInContext {
            let call = call("/v1/signatures", question, by: Caller(answers))
            _ = responder.answer([call], on: loop)
            return call.identity.id.text
        }
        while answers.statuses.withLock(\.isEmpty) { await loop.run() }
        #expect(answers.statuses.withLock { $0 } == [503])
        #expect(log.takeLines() == [request, request], "its fault, and its end")
        await loop.shutdownGracefully()
    }

    @Test("Who has gone before the turn came gets nothing signed", arguments: [true, false])
    func goneBefore(hasGone: Bool) async throws {
        let (loop, answers) = (NIOAsyncTestingEventLoop(), Answers())
        let registry = PrometheusRegistry()
        let admission = AdmissionControl(factory: registry)
        let question = """
            {"offers":[{"productId":"p","offerId":"o0"}],"evidence":{"receiptResponse":{"status":0,"environment":"Production",
            "receipt":{"bundle_id":"a","request_date_ms":"1795262400000"},
            "latest_receipt_info":[{"original_transaction_id":"1","transaction_id":"1","product_id":"p",
            "purchase_date_ms":"1795176000000","expires_date_ms":"1795348800000"}],
            "pending_renewal_info":[{"original_transaction_id":"1","product_id":"p","auto_renew_status":"1"}]}}}
            """
        let responder = responder(offers: 1)
        try await loop.executeInContext {
            let caller = Caller(answers)
            caller.isWaiting = !hasGone
            let progress = RequestProgress(admission)
            #expect(progress.enter(.signature))
            let call = call("/v1/signatures", question, by: caller, progress: progress)
            #expect(responder.answer([call], on: loop) == 1)
        }
        await loop.run()
        #expect(admission.enter(.signature) == 1, "the place is free")
        let metrics = String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n")
        #expect(metrics.contains("offer_signer_queue_wait_seconds_count 1"))
        #expect(ledger.entries.count == (hasGone ? 0 : 1))
        #expect(answers.statuses.withLock { $0 } == (hasGone ? [] : [200]))
        await loop.shutdownGracefully()
    }
}
