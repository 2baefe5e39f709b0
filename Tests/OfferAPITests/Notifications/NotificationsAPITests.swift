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
    func notification(_ signedPayload: String) throws(NotificationFault) -> AppleNotification {
        guard signedPayload != "forged" else { throw NotificationFault(code: "jws_malformed", detail: "forged") }
        return AppleNotification(
            id: signedPayload,
            type: "TEST",
            subtype: nil,
            bundleId: "a",
            environment: .production,
            signedDate: Timestamp(millisecondsSince1970: 0),
            history: nil
        )
    }
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

/// States that keep a notification when they are told to, and not before.
private final class PatientStates: SubscriptionStates {
    private struct State {
        var waiting = 0
        var isOpen = false
    }

    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.waiting } }

    func open(_ isOpen: Bool = true) { state.withLock { $0.isOpen = isOpen } }

    func keep(_ notification: NotificationRecord, _ observation: StateObservation) async throws(StorageFailure)
        -> Bool
    {
        state.withLock { $0.waiting += 1 }
        while !state.withLock({ $0.isOpen }) { try? await Task.sleep(for: .milliseconds(5)) }
        state.withLock { $0.waiting -= 1 }
        return true
    }

    func atHand(_ question: StateQuestion) -> HeldState? { nil }

    func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState { HeldState() }

    func learn(_ observation: StateObservation) {}

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
    private let log = KeptLog { "\($0.level) \($0.message)" }

    private var responder: any HTTPResponder<BasicRequestContext> {
        let endpoint = NotificationsEndpoint(
            takeNotifications: TakeNotifications(
                reader: Reader(),
                memory: StateMemory(states: states, digester: NoDigester()),
                metrics: NotificationMetrics(),
                now: { Timestamp(millisecondsSince1970: 0) }
            )
        )
        return NotificationsAPI.responder(
            endpoint: { endpoint },
            logger: log.logger
        )
    }

    private func post(
        _ payload: String,
        to responder: any HTTPResponder<BasicRequestContext>
    ) async throws -> Response {
        try await post(RequestBody(buffer: ByteBuffer(string: #"{"signedPayload":"\#(payload)"}"#)), to: responder)
    }

    private func post(
        _ body: RequestBody,
        to responder: any HTTPResponder<BasicRequestContext>
    ) async throws -> Response {
        let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/v1/notifications")
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test"))
        let request = Hummingbird.Request(head: head, body: body)
        return try await responder.respond(to: request, context: BasicRequestContext(source: source))
    }

    @Test("A notification of version 1 is answered with what to choose in App Store Connect")
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

    @Test("What nobody foresaw is a fault of the service's own, and in the log")
    func unforeseen() async throws {
        let response = try await post(RequestBody(asyncSequence: BrokenBody()), to: responder)
        #expect(response.status == .internalServerError)
        #expect(log.takeLines().contains("error unforeseen error"))
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
}
