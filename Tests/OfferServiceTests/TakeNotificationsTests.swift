import LedgerFixtures
import OfferService
import Offers
import PrometheusMetrics
import Testing

@Suite("Apple's notifications, once they are read")
struct TakeNotificationsTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    /// Gives the same notification for whatever is sent.
    private struct Reader: NotificationReader {
        let notification: Result<GenuineNotification, SignedDataFault>

        func notification(_ signedPayload: String) throws(SignedDataFault) -> GenuineNotification {
            try notification.get()
        }
    }

    private let registry = PrometheusRegistry()
    private let states = InMemorySubscriptionStates()

    private func take(_ notification: GenuineNotification) async -> String { await take(.success(notification)) }

    private func take(_ notification: Result<GenuineNotification, SignedDataFault>) async -> String {
        let taking = TakeNotifications(
            reader: Reader(notification: notification),
            memory: StateMemory(states: states, digester: HMACAccountDigester(key: [1])),
            metrics: NotificationMetrics(factory: registry),
            now: { Self.now }
        )
        do throws(NotificationRefusal) {
            return try await taking.receive("").outcome.rawValue
        } catch {
            switch error {
            case .notTaken: return "422"
            case .unknownApp, .notKept: return "503"
            }
        }
    }

    private func notification(
        _ id: String,
        type: String = "DID_RENEW",
        isUnderstood: Bool = true
    ) -> GenuineNotification {
        .ours(
            AppleNotification(
                id: id,
                type: type,
                subtype: nil,
                bundleId: "reader",
                environment: .production,
                signedDate: Self.now,
                book: .active(at: Self.now, told: 0),
                isUnderstood: isUnderstood
            )
        )
    }

    private var isLearnt: Bool {
        let subscription = SubscriptionIdentity(
            bundleId: "reader",
            environment: .production,
            originalTransactionId: "1"
        )
        let question = StateQuestion(bundleId: "reader", account: nil, subscriptions: [subscription])
        return states.held([question]).contains { (try? $0.get().chapters.isEmpty) == false }
    }

    private func count(_ type: String, _ outcome: String) -> Bool {
        String(decoding: registry.exposition(), as: UTF8.self)
            .contains(#"offer_signer_notifications_total{type="\#(type)",outcome="\#(outcome)"} 1"#)
    }

    @Test(
        "Contents that nobody knows are recorded and counted; under a type that nobody knows a signed transaction counts"
    )
    func unknown() async {
        #expect(await take(notification("1", isUnderstood: false)) == "not_understood")
        #expect(count("DID_RENEW", "not_understood"))
        #expect(await take(notification("1", isUnderstood: false)) == "repeated")
        #expect(!isLearnt)
        #expect(await take(notification("2", type: "SOMETHING_NEW")) == "not_understood")
        #expect(count("other", "not_understood"))
        #expect(isLearnt)
        #expect(await take(notification("3")) == "taken")
    }

    @Test("What a notification says of a subscription was told by the App Store itself")
    func told() async throws {
        #expect(await take(notification("1")) == "taken")
        let subscription = SubscriptionIdentity(
            bundleId: "reader",
            environment: .production,
            originalTransactionId: "1"
        )
        let question = StateQuestion(bundleId: "reader", account: nil, subscriptions: [subscription])
        let held = try #require(states.held([question]).first).get()
        #expect(held.chapters.map(\.confirmed) == [Self.now])
    }

    @Test("One that names no app is counted by its type, and taken")
    func ofNobody() async {
        #expect(await take(.ofNobody(type: "UNCLAIM_SEATS")) == "not_understood")
        #expect(count("UNCLAIM_SEATS", "not_understood"))
    }

    @Test("One for an app that the catalog lacks is to be sent again, and is counted apart from a forgery")
    func ofOtherApp() async {
        #expect(await take(.ofOtherApp(bundleId: "other", type: "REFUND")) == "503")
        #expect(count("REFUND", "unknown_app"))
        #expect(!count("none", "refused"))
        #expect(await take(.failure(SignedDataFault(.signatureInvalid, "forged"))) == "422")
        #expect(count("none", "refused"))
    }
}
