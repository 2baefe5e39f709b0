import Crypto
import Offers
import Synchronization

/// Answers of Apple for a short time, so that a customer who is asked about twice is looked up once: histories, and faults
/// that would come again.
///
/// Bounded; what is forgotten is asked again.
final class AnswerCache: Sendable {
    static let capacity = 4096

    typealias Answer = Result<Book, EvidenceFault>

    private struct Entry {
        let answer: Answer
        let until: ContinuousClock.Instant
    }

    private let entries = Mutex<[QuestionKey: Entry]>([:])

    /// How many answers there are, those that are no longer fresh included.
    var count: Int { entries.withLock { $0.count } }

    /// The answer to a question, if it is still fresh.
    func answer(for key: QuestionKey, at now: ContinuousClock.Instant = .now) -> Answer? {
        guard let entry = entries.withLock({ $0[key] }), entry.until > now else { return nil }
        return entry.answer
    }

    func store(_ answer: Answer, for key: QuestionKey, lifetimeSeconds: Int, at now: ContinuousClock.Instant = .now) {
        guard lifetimeSeconds > 0 else { return }
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries = entries.filter { $0.value.until > now } }
            if entries.count >= Self.capacity { entries.removeAll() }
            entries[key] = Entry(answer: answer, until: now + .seconds(lifetimeSeconds))
        }
    }
}

/// The transactions that clients say were bought just now and that Apple does not know yet, each with the moment at which
/// this service was first asked for it.
final class NewTransactions: Sendable {
    /// How many are known for each app; the one that was asked for first makes room.
    static let capacity = 4096
    /// How long after it was first asked for Apple may not know a transaction yet.
    static let patience = Duration.seconds(300)

    private let firstAsked = Mutex<[String: [String: ContinuousClock.Instant]]>([:])

    /// Whether Apple may not know a transaction yet: not once it was first asked for too long ago.
    ///
    /// With `isCached`, one that was not asked for yet counts as asked for from now on.
    func mayStillCome(
        _ id: String,
        of bundleId: String,
        at now: ContinuousClock.Instant,
        caching isCached: Bool
    ) -> Bool {
        firstAsked.withLock { apps in
            var app = apps.removeValue(forKey: bundleId) ?? [:]
            defer { apps[bundleId] = app }
            if let first = app[id] { return first.duration(to: now) < Self.patience }
            guard isCached else { return true }
            if app.count >= Self.capacity, let oldest = app.min(by: { $0.value < $1.value }) { app[oldest.key] = nil }
            app[id] = now
            return true
        }
    }

    func forget(_ id: String, of bundleId: String) {
        firstAsked.withLock { $0[bundleId]?[id] = nil }
    }
}

/// A question in little room: receipts are long, so their digest stands for them.
struct QuestionKey: Hashable, Sendable {
    private let bundleId: String
    private let isReceipt: Bool
    private let needsWholeHistory: Bool
    private let content: SHA256Digest

    init(_ question: AppStoreQuestion, of bundleId: String, needsWholeHistory: Bool = false) {
        self.bundleId = bundleId
        self.needsWholeHistory = needsWholeHistory
        switch question {
        case .receipt(let base64):
            isReceipt = true
            content = SHA256.hash(data: Array(base64.utf8))
        // Apple's answer is the same, however new the transaction is said to be.
        case .transactionId(let id, _):
            isReceipt = false
            content = SHA256.hash(data: Array(id.utf8))
        }
    }
}
