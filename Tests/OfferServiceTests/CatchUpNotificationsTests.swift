import Foundation
import LedgerFixtures
import OfferService
import Offers
import PrometheusMetrics
import Synchronization
import Testing

@Suite("Reading Apple's notification history")
struct CatchUpNotificationsTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private static let owner = HistoryOwner(bundleId: "reader", environment: .production)

    /// Reads a payload that is an identifier, a space and a type.
    private struct Reader: NotificationReader {
        func notification(_ signedPayload: String) throws(SignedDataFault) -> GenuineNotification {
            let parts = signedPayload.split(separator: " ")
            guard parts.count == 2 else { throw SignedDataFault(.signatureInvalid, "forged") }
            return .ours(
                AppleNotification(
                    id: String(parts[0]),
                    type: String(parts[1]),
                    subtype: nil,
                    bundleId: "reader",
                    environment: .production,
                    signedDate: now,
                    book: nil
                )
            )
        }
    }

    /// States that keep the names of notifications, or fail.
    private final class States: SubscriptionStates {
        let kept = Mutex<Set<String>>([])
        let again = Mutex(0)
        let fails = Mutex(false)
        let forgetsNames: Bool

        init(forgetsNames: Bool = false) { self.forgetsNames = forgetsNames }

        func atHand(_ questions: [StateQuestion]) -> [Book]? { nil }
        func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] { [] }
        func learn(_ observation: Book) {}

        func save(_ notification: NotificationRecord, _ observation: Book) async throws(StorageFailure) -> Bool {
            guard !fails.withLock({ $0 }) else { throw StorageFailure(.unavailable, "down") }
            if forgetsNames { return true }
            let isNew = kept.withLock { $0.insert(notification.id).inserted }
            if !isNew, notification.countsAgain { again.withLock { $0 += 1 } }
            return isNew
        }
    }

    /// So many notifications in pages of twenty, of which a call may fail.
    private final class History: NotificationHistory {
        let count: Int
        let attempts: [HistoryPage.Attempt]
        let asked = Mutex<[HistoryWindow]>([])
        let faults = Mutex<[HistoryFault]>([])
        /// The names of the next pages, where they are not as they should be.
        let tokens = Mutex<[String]>([])

        init(_ count: Int, attempts: [HistoryPage.Attempt] = []) { (self.count, self.attempts) = (count, attempts) }

        var owners: [HistoryOwner] { [owner] }

        func page(_ window: HistoryWindow, of owner: HistoryOwner) async throws(HistoryFault) -> HistoryPage {
            asked.withLock { if $0.count < 1000 { $0.append(window) } }
            if let fault = faults.withLock({ $0.popLast() }) { throw fault }
            let first = window.paginationToken.flatMap { Int($0) } ?? 0
            let end = min(first + 20, count)
            let items = (first..<end).map { HistoryPage.Item(signedPayload: "\($0) DID_RENEW", attempts: attempts) }
            let token = tokens.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return HistoryPage(items: items, nextPage: token ?? (end < count ? "\(end)" : nil))
        }
    }

    private final class Progress: HistoryProgressStore {
        let known: Mutex<HistoryProgress?>

        init(_ known: HistoryProgress? = nil) { self.known = Mutex(known) }

        func progress(of owner: HistoryOwner, by reader: HistoryReader) async -> HistoryProgress? {
            known.withLock { $0 }
        }
        func put(_ progress: HistoryProgress?, of owner: HistoryOwner, by reader: HistoryReader) async {
            known.withLock { $0 = progress }
        }
    }

    private let registry = PrometheusRegistry()

    private func useCase(
        _ history: History,
        _ progress: Progress,
        _ states: States,
        by reader: HistoryReader = .service,
        at now: Timestamp = now
    ) -> CatchUpNotifications<Reader> {
        CatchUpNotifications(
            history,
            store: progress,
            takeNotifications: TakeNotifications(
                reader: Reader(),
                memory: StateMemory(states: states, digester: HMACAccountDigester(key: [1])),
                metrics: NotificationMetrics(),
                now: { now }
            ),
            by: reader,
            metrics: NotificationHistoryMetrics(factory: registry),
            now: { now }
        )
    }

    private func readAll(_ useCase: CatchUpNotifications<Reader>, since: Timestamp? = nil) async throws -> Int {
        var recovered = 0
        while true {
            let step = try await useCase.step(of: Self.owner, since: since)
            recovered += step.recovered.values.reduce(0, +)
            if step.isDone { return recovered }
        }
    }

    private func count(_ line: String) -> Bool {
        String(decoding: registry.exposition(), as: UTF8.self).contains("offer_signer_notification_history_\(line)\n")
    }

    @Test("What did not come is recovered and counted by type, once; why Apple had failed is counted by its reason")
    func recovered() async throws {
        let states = States()
        states.kept.withLock { $0 = ["0", "1", "44"] }
        let attempts = [("TLS_ISSUE", -60), ("SOMETHING_NEW", -50), ("SUCCESS", -40), ("TLS_ISSUE", -90_000)].map {
            HistoryPage.Attempt(date: Self.now.adding(seconds: $0.1), result: $0.0)
        }
        // Two windows, of which the second is much shorter: what is in both counts once.
        let history = History(45, attempts: attempts)
        let progress = Progress(HistoryProgress(since: Self.now.adding(seconds: -26 * 3600)))
        #expect(try await readAll(useCase(history, progress, states)) == 42)
        #expect(count(#"recovered_total{type="DID_RENEW"} 42"#))
        #expect(count(#"failed_attempts_total{result="OTHER"} 90"#))
        #expect(states.kept.withLock { $0.count } == 45)
    }

    @Test("A page that fails is asked for again, also where another service goes on; its window stays")
    func failedPage() async throws {
        let (history, progress, states) = (History(45), Progress(), States())
        _ = try await useCase(history, progress, states).step(of: Self.owner)
        history.faults.withLock { $0 = [HistoryFault("429", retryAfterSeconds: 7)] }
        await #expect(throws: HistoryFault.self) { try await useCase(history, progress, states).step(of: Self.owner) }
        states.fails.withLock { $0 = true }
        await #expect(throws: HistoryFault.self) { try await useCase(history, progress, states).step(of: Self.owner) }
        states.fails.withLock { $0 = false }
        _ = try await useCase(history, progress, states).step(of: Self.owner)
        let asked = history.asked.withLock { $0 }
        #expect(asked.map(\.paginationToken) == [nil, "20", "20", "20"])
        #expect(Set(asked.map(\.end)).count == 1)
        #expect(states.kept.withLock { $0.count } == 40)
    }

    private func fault(_ useCase: CatchUpNotifications<Reader>) async throws -> HistoryFault {
        try await #require(throws: HistoryFault.self) { try await useCase.step(of: Self.owner) }
    }

    @Test(
        "A page that Apple refuses begins its window anew, once; refused again, the window is, and is tried once more"
    )
    func refusedPage() async throws {
        let (history, progress, states) = (History(45), Progress(), States())
        let reading = useCase(history, progress, states)
        for kind in [HistoryFault.Kind.pageRefused, .windowRefused] {
            _ = try await reading.step(of: Self.owner)
            history.faults.withLock { $0 = [HistoryFault("gone", .pageRefused)] }
            #expect(try await fault(reading).kind == kind)
        }
        #expect(history.asked.withLock { $0.map(\.paginationToken) } == [nil, "20", nil, "20"])
        #expect(try await readAll(reading) == 25)
        #expect(history.asked.withLock { $0[4].paginationToken } == nil)
        // The next window may be begun anew again.
        let later = useCase(history, progress, states, at: Self.now.adding(seconds: 7200))
        _ = try await later.step(of: Self.owner)
        history.faults.withLock { $0 = [HistoryFault("gone", .pageRefused)] }
        #expect(try await fault(later).kind == .pageRefused)
    }

    @Test("A window that is refused from its first page is tried again after an hour")
    func refusedWindow() async throws {
        let (history, progress, states) = (History(45), Progress(), States())
        history.faults.withLock { $0 = [HistoryFault("4000012", .pageRefused)] }
        let refused = try await fault(useCase(history, progress, states))
        #expect(refused.kind == .windowRefused)
        #expect(refused.pauseSeconds(afterFailures: 1) == 3600)
        #expect(try await readAll(useCase(history, progress, states)) == 45)
    }

    @Test("A token that comes round again ends the window as an error", arguments: [["20"], ["20", "40", "60", "20"]])
    func round(tokens: [String]) async throws {
        let (history, progress, states) = (History(1000), Progress(), States())
        let reading = useCase(history, progress, states)
        for kind in [HistoryFault.Kind.pageRefused, .windowRefused] {
            history.tokens.withLock { $0 = ["20"] + tokens.dropFirst() + (tokens.count == 1 ? ["20"] : []) }
            let count = max(tokens.count - 1, 1)
            for _ in 0..<count { _ = try await reading.step(of: Self.owner) }
            #expect(try await fault(reading).kind == kind)
            #expect(progress.known.withLock { $0?.window } == nil)
        }
    }

    @Test("A mark in the future, or older than Apple's reach, is not gone on from, and that is said")
    func uselessMarks() async throws {
        for (mark, start) in [(Self.now.adding(days: 3), -1.0), (Self.now.adding(days: -400), -180.0)] {
            let history = History(1)
            let step = try await useCase(history, Progress(HistoryProgress(since: mark)), States()).step(of: Self.owner)
            #expect(step.restart?.contains(mark.rfc3339) == true)
            let asked = try #require(history.asked.withLock { $0.first }?.start)
            let days = Double(asked.millisecondsSince1970 - Self.now.millisecondsSince1970) / 86_400_000
            #expect(abs(days - start) < 0.1)
        }
    }

    @Test("A command reads known ones again, goes on where it was stopped, and begins anew for an earlier time")
    func command() async throws {
        let (history, progress, states) = (History(45), Progress(), States())
        states.kept.withLock { $0 = Set((0..<45).map(String.init)) }
        let reading = useCase(history, progress, states, by: .command)
        _ = try await reading.step(of: Self.owner, since: Self.now.adding(days: -2))
        let later = useCase(history, progress, states, by: .command, at: Self.now.adding(seconds: 60))
        _ = try await later.step(of: Self.owner, since: Self.now.adding(days: -2).adding(seconds: 60))
        #expect(history.asked.withLock { $0.map(\.paginationToken) } == [nil, "20"])
        _ = try await later.step(of: Self.owner, since: Self.now.adding(days: -3))
        #expect(history.asked.withLock { $0.last?.paginationToken } == nil)
        #expect(try await readAll(later, since: Self.now.adding(days: -3)) == 0)
        #expect(states.again.withLock { $0 } >= 45)
        #expect(progress.known.withLock { $0 } == nil)
    }

    @Test("A forged notification in the history stops nothing")
    func forged() async throws {
        struct Forged: NotificationReader {
            func notification(_ signedPayload: String) throws(SignedDataFault) -> GenuineNotification {
                throw SignedDataFault(.signatureInvalid, "forged")
            }
        }
        let memory = StateMemory(states: States(), digester: HMACAccountDigester(key: [1]))
        let reading = CatchUpNotifications(
            History(3),
            store: Progress(),
            takeNotifications: TakeNotifications(
                reader: Forged(),
                memory: memory,
                metrics: NotificationMetrics(),
                now: { Self.now }
            ),
            by: .service,
            now: { Self.now }
        )
        let step = try await reading.step(of: Self.owner)
        #expect(step.refused == 3)
        #expect(step.progress.window == nil)
    }

    @Test("A million notifications take no more memory than some thousands")
    func million() async throws {
        func residentBytes() throws -> Int {
            let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
        }
        let (history, progress) = (History(1_000_000), Progress())
        let reading = useCase(history, progress, States(forgetsNames: true))
        for _ in 0..<500 { _ = try await reading.step(of: Self.owner) }
        let before = try residentBytes()
        while progress.known.withLock({ $0?.window }) != nil { _ = try await reading.step(of: Self.owner) }
        // Other tests run at the same time.
        #expect(try residentBytes() - before < 64 << 20)
    }
}
