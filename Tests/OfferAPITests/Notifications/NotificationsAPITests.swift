import HTTPTypes
import Hummingbird
import KeptLog
import LedgerFixtures
import Logging
import NIOCore
import NIOEmbedded
import OfferService
import Offers
import Synchronization
import Testing

@testable import OfferAPI

/// Takes everything for a notification but what is forged.
private struct Reader: NotificationReader {
    func notification(_ signedPayload: String) throws(SignedDataFault) -> GenuineNotification {
        switch signedPayload {
        case "forged": throw SignedDataFault(.malformed, "forged")
        case "of another app": return .ofOtherApp(bundleId: "b", type: "TEST")
        case "of nobody": return .ofNobody(type: "TEST")
        default:
            return .ours(
                AppleNotification(
                    id: signedPayload,
                    type: "TEST",
                    subtype: nil,
                    bundleId: "a",
                    environment: .production,
                    signedDate: Timestamp(millisecondsSince1970: 0),
                    book: nil
                )
            )
        }
    }
}

/// Takes everything for a call about the subscription that it names.
private struct CallReader: RetentionCallReader {
    func retentionCall(_ signedPayload: String) throws(SignedDataFault) -> RetentionCall {
        RetentionCall(
            subscription: SubscriptionIdentity(
                bundleId: "a",
                environment: .production,
                originalTransactionId: signedPayload
            ),
            productId: "monthly",
            locale: nil,
            requestIdentifier: signedPayload,
            signedDate: Timestamp(millisecondsSince1970: 0)
        )
    }
}

/// A ledger that takes everything.
private struct TakingLedger: RetentionLedger {
    func append(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (_ places: [Int], Result<[[GrantOutcome]], StorageFailure>) -> Void
    ) { completion(Array(entries.indices), .success(entries.map { $0.grants.map { _ in .recorded } })) }

    func append(_ entry: LedgerEntry, until moment: ContinuousClock.Instant) -> [GrantOutcome] { [] }

    func answer(to question: LedgerQuestion) -> LedgerAnswer { LedgerAnswer() }
}

/// Whoever it is about, the same digest.
private struct NoDigester: AccountDigester {
    func digest(of text: String, bundleId: String) -> AccountDigest { AccountDigest([]) }
}

/// A body that breaks off, as none of a connection does.
private struct BrokenBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    struct Failure: Error {}

    func makeAsyncIterator() -> BrokenBody { self }

    mutating func next() async throws -> ByteBuffer? { throw Failure() }
}

/// States that keep a notification when a test lets them, and not before.
private final class PatientStates: SubscriptionStates {
    private struct State {
        var waiting = 0
        var isOpen = false
    }

    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.waiting } }

    func open(_ isOpen: Bool = true) { state.withLock { $0.isOpen = isOpen } }

    func save(_ notification: NotificationRecord, _ observation: Book) async throws(StorageFailure)
        -> Bool
    {
        state.withLock { $0.waiting += 1 }
        while !state.withLock({ $0.isOpen }) { try? await Task.sleep(for: .milliseconds(5)) }
        state.withLock { $0.waiting -= 1 }
        return true
    }

    func atHand(_ questions: [StateQuestion]) -> [Book]? { nil }

    func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
        let asked = questions.compactMap { $0.subscriptions.first?.originalTransactionId }
        if asked.contains(where: { $0.hasPrefix("slow") }) {
            state.withLock { $0.waiting += 1 }
            while !state.withLock({ $0.isOpen }) { try? await Task.sleep(for: .milliseconds(5)) }
            state.withLock { $0.waiting -= 1 }
        }
        return questions.map { _ in .success(Book()) }
    }

    func learn(_ observation: Book) {}

    func forget(_ account: AccountDigest) async throws(StorageFailure) -> Int { 0 }
}

/// Keeps what an answer says.
private final class KeptBody: ResponseBodyWriter {
    private(set) var text = ""

    func write(_ buffer: ByteBuffer) async throws { text += String(buffer: buffer) }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

@Suite("The listener of Apple's notifications")
struct NotificationsAPITests {
    private let states = PatientStates()
    private let log = KeptLog { "\($0.level) " + KeptLog.messageAndMetadata($0) }
    private let faults: RepeatedFaults

    init() { faults = RepeatedFaults(logger: log.logger) }

    private var responder: any HTTPResponder<BasicRequestContext> {
        let endpoint = NotificationsEndpoint(
            takeNotifications: TakeNotifications(
                reader: Reader(),
                memory: StateMemory(states: states, digester: NoDigester()),
                metrics: NotificationMetrics(),
                now: { Timestamp(millisecondsSince1970: 0) }
            )
        )
        let message = RetentionMessage(name: "plain", standard: "41111111-2222-4333-8444-555555555555")
        let retention = RetentionEndpoint(
            calls: AnswerRetentionCalls(
                apps: [
                    RetentionApp(
                        SigningApp(app: App(bundleId: "a", subscriptionGroups: []), signer: ConstantSigner()),
                        rules: [RetentionRule(message: message)]
                    )
                ],
                reader: CallReader(),
                memory: StateMemory(states: states, digester: NoDigester()),
                ledger: TakingLedger(),
                lookups: nil,
                service: ServiceMetrics(),
                metrics: RetentionMetrics(),
                maximumHeldAgeSeconds: 0,
                limits: .init(time: limit, calls: Self.calls),
                now: { Timestamp(millisecondsSince1970: 0) },
                write: { $0.json }
            )
        )
        return NotificationsAPI.responder(
            endpoint: { endpoint },
            retention: { retention },
            logger: log.logger,
            faults: faults
        )
    }

    @Test("Refused notifications of strangers have a line each of what and why, and then their number")
    func folded() async throws {
        let rules = ListenerRules(
            apple: responder,
            limits: .patient(),
            metrics: RequestMetrics(),
            logger: log.logger,
            faults: faults
        )
        let connection = try await TestConnection(to: rules, on: NIOAsyncTestingEventLoop())
        for _ in 0..<30 {
            try await connection.send(TestRequest("/v1/notifications", #"{"signedPayload":"forged"}"#))
            #expect(try await connection.receive().status == 422)
        }
        let lines = log.takeLines()
        #expect(lines.map { String($0.prefix(12)) } == ["notice notif", "info request"], "\(lines)")
        #expect(lines.allSatisfy { $0.contains("code=jws_malformed") }, "\(lines)")
        faults.logCounts()
        #expect(
            log.takeLines() == [
                "notice notification not taken code=jws_malformed more=29",
                "info requests of nobody who is known code=jws_malformed more=29",
            ]
        )
    }

    /// How many calls are answered at once.
    private static let calls = 3

    /// How long a call may take: without end, for tests that wait for something else.
    private var limit: Duration { .seconds(600) }

    private func post(
        _ payload: String,
        as path: String = "/v1/notifications",
        to responder: any HTTPResponder<BasicRequestContext>
    ) async throws -> Response {
        let body = ByteBuffer(string: #"{"signedPayload":"\#(payload)"}"#)
        return try await post(RequestBody(buffer: body), as: path, to: responder)
    }

    private func post(
        _ body: RequestBody,
        as path: String = "/v1/notifications",
        to responder: any HTTPResponder<BasicRequestContext>
    ) async throws -> Response {
        let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: path)
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test"))
        let request = Hummingbird.Request(head: head, body: body)
        return try await responder.respond(to: request, context: BasicRequestContext(source: source))
    }

    @Test("The answer to a notification of version 1 names the setting in App Store Connect")
    func version1() async throws {
        let body = #"{"notification_type":"CANCEL","password":"hunter2","unified_receipt":{"status":0}}"#
        let response = try await post(RequestBody(buffer: ByteBuffer(string: body)), to: responder)
        #expect(response.status == .badRequest)
        let words = KeptBody()
        try await response.body.write(words)
        #expect(words.text.contains("Choose version 2 in App Store Connect"))
        #expect(words.text.contains(#""pointer":"/signedPayload""#))
        #expect(!words.text.contains("hunter2"))
    }

    @Test("One for an app that the catalog lacks may be sent again, and is no error; one for no app is taken")
    func otherApps() async throws {
        let other = try await post("of another app", to: responder)
        #expect(other.status == .serviceUnavailable)
        #expect(other.headers[.retryAfter] == "60")
        let words = KeptBody()
        try await other.body.write(words)
        #expect(words.text.contains("app_not_in_catalog"))
        #expect(log.takeLines().contains { $0.hasPrefix("notice notification not taken ") })
        #expect(try await post("of nobody", to: responder).status == .ok)
    }

    @Test("An unforeseen error is 500, and in the log")
    func unforeseen() async throws {
        let response = try await post(RequestBody(asyncSequence: BrokenBody()), to: responder)
        #expect(response.status == .internalServerError)
        #expect(log.takeLines().contains { $0.hasPrefix("error unforeseen error ") })
    }

    @Test(
        "A few are taken at once; who is one too many may send it again, and those after it have their places back",
        .timeLimit(.minutes(10))
    )
    func places() async throws {
        let (most, responder) = (NotificationsAPI.mostAtOnce, responder)
        for _ in 0..<(most * 2) {
            #expect(try await post("forged", to: responder).status == .unprocessableContent)
        }
        let first = (0..<most).map { index in Task { try await post("\(index)", to: responder).status } }
        for _ in 0..<2000 where states.waiting < most { try await Task.sleep(for: .milliseconds(5)) }
        let excess = Task {
            let response = try await post("excess", to: responder)
            return (response.status, response.headers[.retryAfter])
        }
        // Were it taken, it would wait as the others do.
        for _ in 0..<3 { #expect(try await post("forged", to: responder).status == .serviceUnavailable) }
        let (status, retryAfter) = try await excess.value
        #expect(status == .serviceUnavailable)
        #expect(retryAfter == "60")
        #expect(states.waiting == most)
        states.open()
        for task in first { #expect(try await task.value == .ok) }
        states.open(false)
        let again = (0..<most).map { index in Task { try await post("\(index)", to: responder).status } }
        for _ in 0..<2000 where states.waiting < most { try await Task.sleep(for: .milliseconds(5)) }
        states.open()
        for task in again { #expect(try await task.value == .ok) }
    }

    @Test("Notifications that wait take no place from calls, nor calls from notifications", .timeLimit(.minutes(10)))
    func bothKinds() async throws {
        let (path, responder) = ("/v1/retention-messages", responder)
        let stuck = (0..<NotificationsAPI.mostAtOnce).map { index in
            Task { try await post("\(index)", to: responder).status }
        }
        for _ in 0..<2000 where states.waiting < NotificationsAPI.mostAtOnce {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await post("one too many", to: responder).status == .serviceUnavailable)
        #expect(try await post("call", as: path, to: responder).status == .ok)
        states.open()
        for task in stuck { #expect(try await task.value == .ok) }
        states.open(false)
        let slow = (0..<Self.calls).map { index in
            Task { try await post("slow \(index)", as: path, to: responder).status }
        }
        for _ in 0..<2000 where states.waiting < Self.calls { try await Task.sleep(for: .milliseconds(5)) }
        let refused = try await post("one too many", as: path, to: responder)
        #expect(refused.status == .serviceUnavailable)
        let words = KeptBody()
        try await refused.body.write(words)
        #expect(words.text.contains("too_many_requests_at_once"))
        let notification = Task { try await post("beside", to: responder).status }
        for _ in 0..<2000 where states.waiting < Self.calls + 1 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(states.waiting == Self.calls + 1)
        states.open()
        #expect(try await notification.value == .ok)
        for task in slow { #expect(try await task.value == .ok) }
        #expect(try await post("call", as: path, to: responder).status == .ok)
    }
}
