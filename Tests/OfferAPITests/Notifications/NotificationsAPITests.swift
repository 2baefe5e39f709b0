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
}

@Suite("The listener of Apple's notifications")
struct NotificationsAPITests {
    private let states = PatientStates()
    private let log = KeptLog { "\($0.level) " + KeptLog.messageAndMetadata($0) }
    private let faults: RepeatedFaults

    init() { faults = RepeatedFaults(logger: log.logger) }

    private var rules: ListenerRules {
        let notifications = TakeNotifications(
            reader: Reader(),
            memory: StateMemory(states: states, digester: NoDigester()),
            metrics: NotificationMetrics(),
            now: { Timestamp(millisecondsSince1970: 0) }
        )
        let message = RetentionMessage(name: "plain", standard: "41111111-2222-4333-8444-555555555555")
        let retention = AnswerRetentionCalls(
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
        return ListenerRules(
            apple: NotificationsAPI.calls(
                notifications: { notifications },
                retention: { retention },
                logger: log.logger,
                faults: faults
            ),
            limits: .patient(),
            metrics: RequestMetrics(),
            logger: log.logger,
            faults: faults
        )
    }

    @Test("Refused notifications of strangers have a line each of what and why, and then their number")
    func folded() async throws {
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
        to rules: ListenerRules
    ) async throws -> TestAnswer { try await post(body: #"{"signedPayload":"\#(payload)"}"#, as: path, to: rules) }

    private func post(body: String, as path: String = "/v1/notifications", to rules: ListenerRules) async throws
        -> TestAnswer
    {
        let connection = try await TestConnection(to: rules, on: NIOAsyncTestingEventLoop())
        try await connection.send(TestRequest(path, body, token: nil))
        return try await connection.receive()
    }

    @Test("The answer to a notification of version 1 names the setting in App Store Connect")
    func version1() async throws {
        let body = #"{"notification_type":"CANCEL","password":"hunter2","unified_receipt":{"status":0}}"#
        let answer = try await post(body: body, to: rules)
        #expect(answer.summary == "400 missing_member /signedPayload")
        #expect(answer.body.contains("Choose version 2 in App Store Connect"))
        #expect(!answer.body.contains("hunter2"))
    }

    @Test("One for an app that the catalog lacks may be sent again, and is no error; one for no app is taken")
    func otherApps() async throws {
        let other = try await post("of another app", to: rules)
        #expect(other.status == 503)
        #expect(other.field("Retry-After") == "60")
        #expect(other.body.contains("app_not_in_catalog"))
        #expect(log.takeLines().contains { $0.hasPrefix("notice notification not taken ") })
        #expect(try await post("of nobody", to: rules).status == 200)
    }

    @Test("Its paths take POST alone, whatever the query; a path that is near one is asked about")
    func paths() async throws {
        for path in ["/v1/notifications", "/v1/retention-messages"] {
            let connection = try await TestConnection(to: rules, on: NIOAsyncTestingEventLoop())
            for method in ["GET", "HEAD", "OPTIONS", "PUT"] {
                try await connection.send(TestRequest(path, "", method: method, token: nil))
                let answer = try await connection.receive()
                #expect(answer.status == 405)
                #expect(answer.field("Allow") == "POST")
            }
            #expect(try await post(body: "{}", as: path + "?a=b", to: rules).status == 400)
            let near = try await post(body: "{}", as: path + "/", to: rules)
            #expect(near.summary == "404 not_found ")
            #expect(near.member("detail")?.hasSuffix("did you mean \"\(path)\"?") == true)
        }
        let taken = try await post("of nobody", as: "/v1/notifications?a=b", to: rules)
        #expect(taken.status == 200 && taken.body.isEmpty)
        #expect(taken.field("Content-Type") == nil && taken.field("Content-Length") == "0")
    }

    @Test(
        "A few are taken at once; who is one too many may send it again, and those after it have their places back",
        .timeLimit(.minutes(10))
    )
    func places() async throws {
        let (most, rules) = (NotificationsAPI.mostAtOnce, rules)
        for _ in 0..<(most * 2) {
            #expect(try await post("forged", to: rules).status == 422)
        }
        let first = (0..<most).map { index in Task { try await post("\(index)", to: rules).status } }
        for _ in 0..<2000 where states.waiting < most { try await Task.sleep(for: .milliseconds(5)) }
        let excess = Task { try await post("excess", to: rules) }
        // Were it taken, it would wait as the others do.
        for _ in 0..<3 { #expect(try await post("forged", to: rules).status == 503) }
        #expect(try await excess.value.status == 503)
        #expect(try await excess.value.field("Retry-After") == "60")
        #expect(states.waiting == most)
        states.open()
        for task in first { #expect(try await task.value == 200) }
        states.open(false)
        let again = (0..<most).map { index in Task { try await post("\(index)", to: rules).status } }
        for _ in 0..<2000 where states.waiting < most { try await Task.sleep(for: .milliseconds(5)) }
        states.open()
        for task in again { #expect(try await task.value == 200) }
    }

    @Test("Notifications that wait take no place from calls, nor calls from notifications", .timeLimit(.minutes(10)))
    func bothKinds() async throws {
        let (path, rules) = ("/v1/retention-messages", rules)
        let stuck = (0..<NotificationsAPI.mostAtOnce).map { index in
            Task { try await post("\(index)", to: rules).status }
        }
        for _ in 0..<2000 where states.waiting < NotificationsAPI.mostAtOnce {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await post("one too many", to: rules).status == 503)
        #expect(try await post("call", as: path, to: rules).status == 200)
        states.open()
        for task in stuck { #expect(try await task.value == 200) }
        states.open(false)
        let slow = (0..<Self.calls).map { index in
            Task { try await post("slow \(index)", as: path, to: rules).status }
        }
        for _ in 0..<2000 where states.waiting < Self.calls { try await Task.sleep(for: .milliseconds(5)) }
        let refused = try await post("one too many", as: path, to: rules)
        #expect(refused.summary == "503 too_many_requests_at_once ")
        let notification = Task { try await post("beside", to: rules).status }
        for _ in 0..<2000 where states.waiting < Self.calls + 1 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(states.waiting == Self.calls + 1)
        states.open()
        #expect(try await notification.value == 200)
        for task in slow { #expect(try await task.value == 200) }
        #expect(try await post("call", as: path, to: rules).status == 200)
    }
}
