import AppStore
import HTTPTypes
import LedgerFixtures
import Logging
import NIOCore
import NIOEmbedded
import OfferService
import Offers
import Synchronization
import Testing

@testable import OfferAPI

@Suite("Questions about eligibility on the event loop")
struct OffersOnLoopTests {
    private struct NoSigner: OfferSigner {
        let keyIdentifier = "EXAMPLE123"

        func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: "nothing is signed here")
        }
    }

    /// The statuses of the answers that a client got.
    private final class Answers: Sendable {
        let statuses = Mutex<[Int]>([])
    }

    private final class Caller: LoopConnection {
        let answers: Answers
        var isWaiting: Bool { true }

        init(_ answers: Answers) { self.answers = answers }

        func send(_ answer: consuming LoopAnswer) {
            let status = answer.status
            answers.statuses.withLock { $0.append(status) }
        }
    }

    /// What answers by a catalog of so many offers.
    private func responder(offers count: Int) -> OffersOnLoop {
        let offers = (0..<count).map { PromotionalOffer(id: "o\($0)") }
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: offers)])
        let endpoints = LoopEndpoints(
            clients: ClientDirectory([Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: ["a"])]),
            signOffers: SignOffers(
                apps: [SigningApp(app: App(bundleId: "a", subscriptionGroups: [group]), signer: NoSigner())],
                evidenceReader: AppStoreEvidenceReader(),
                maximumEvidenceAgeSeconds: 0,
                ledger: ScriptedLedger(),
                now: { Timestamp(millisecondsSince1970: 1_795_262_400_000) }
            )
        )
        return OffersOnLoop(
            endpoints: { endpoints },
            telemetry: RequestTelemetry(metrics: RequestMetrics(), logger: Logger(label: "test"))
        )
    }

    /// Asks for all offers of the catalog.
    ///
    /// - Returns: How many answers there were before the event loop could look after anybody else.
    private func ask(_ responder: OffersOnLoop, _ answers: Answers, on loop: NIOAsyncTestingEventLoop) async throws
        -> Int
    {
        try await loop.executeInContext {
            var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/v1/eligibility")
            request.headerFields = [.authorization: "Bearer abc", .contentType: "application/json"]
            let call = LoopCall(
                RequestHead(request),
                ByteBuffer(string: #"{"applicationUsername":"a"}"#),
                progress: RequestProgress(nil),
                on: Caller(answers)
            )
            _ = responder.answer([call], on: loop)
            return answers.statuses.withLock { $0.count }
        }
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

    @Test("A large catalog keeps nobody else on the event loop waiting")
    func many() async throws {
        let (loop, answers) = (NIOAsyncTestingEventLoop(), Answers())
        #expect(try await ask(responder(offers: 300), answers, on: loop) == 0)
        while answers.statuses.withLock(\.isEmpty) { await loop.run() }
        #expect(answers.statuses.withLock { $0 } == [200])
        await loop.shutdownGracefully()
    }
}
