import Offers

/// What was learnt and waits to be written; a value, so that all that happens to it happens under one lock.
struct LessonQueue {
    /// A lesson that waits.
    struct Waiting: Sendable {
        let work: StateWork
        /// Told once of a notification whether it was kept, and was new; `nil` for evidence.
        let completion: (@Sendable (Result<Bool, StateStoreFailure>) -> Void)?
    }

    /// How many lessons may wait.
    let most: Int
    /// How many lessons of evidence came when no more could wait.
    private(set) var dropped = 0
    /// Why nothing can be written now; `nil` when it can, as far as is known.
    private(set) var failure: StorageFailure?
    /// How much the store refused for its values, and what it said last.
    private(set) var refusal: (count: Int, detail: String)?

    private var waiting: [Waiting] = []
    /// What the writer has in hand.
    private var inHand: [Waiting] = []
    private var isScheduled = false

    /// Begins empty.
    ///
    /// - Parameter most: How many lessons may wait.
    init(most: Int) { self.most = most }

    /// All that is not known to be written, the oldest first.
    var unwritten: [Waiting] { inHand + waiting }

    /// Whether evidence may wait; where it may not, that is counted.
    mutating func hasRoomForEvidence() -> Bool {
        guard waiting.count < most else {
            dropped += 1
            return false
        }
        return true
    }

    /// Adds a lesson of evidence, for which there is room.
    ///
    /// - Parameter evidence: The lesson.
    /// - Returns: Whether the writer has to be told to write before long: it has not been.
    mutating func add(evidence: Waiting) -> Bool {
        waiting.append(evidence)
        defer { isScheduled = true }
        return !isScheduled
    }

    /// Adds a notification and its lesson.
    ///
    /// - Parameter notification: The notification.
    /// - Returns: `false` when it cannot be written now, and was not added.
    mutating func add(notification: Waiting) -> Bool {
        guard waiting.count < most, failure == nil else { return false }
        waiting.append(notification)
        return true
    }

    /// Takes the oldest in hand, to write them.
    ///
    /// - Parameter most: How many at the most, a lesson counted as often as it has subscriptions; one is always taken.
    /// - Returns: The lessons; none when none wait.
    mutating func take(_ most: Int) -> [Waiting] {
        isScheduled = false
        var size = 0
        let end = waiting.firstIndex { lesson in
            let isFirst = size == 0
            size += max(lesson.work.lesson.subscriptions.count, 1)
            return !isFirst && size > most
        }
        inHand = Array(waiting[..<(end ?? waiting.endIndex)])
        waiting.removeFirst(inHand.count)
        return inHand
    }

    /// Lets go of what was in hand and is written.
    ///
    /// - Parameter rest: What is still in hand.
    mutating func wrote(before rest: [Waiting]) {
        inHand = rest
        failure = nil
    }

    /// Lets go of what the store will never take.
    ///
    /// - Parameters:
    ///   - refused: What it refused.
    ///   - rest: What is still in hand.
    ///   - cause: What it said.
    mutating func refused(_ refused: [Waiting], before rest: [Waiting], _ cause: StorageFailure) {
        inHand = rest
        refusal = (count: (refusal?.count ?? 0) + refused.count, detail: cause.detail)
    }

    /// Puts evidence back, as nothing can be written now; the writer looks again by itself.
    ///
    /// - Parameters:
    ///   - batch: What is in hand.
    ///   - cause: What the store said.
    /// - Returns: The notifications, which wait no longer.
    mutating func failed(_ batch: [Waiting], _ cause: StorageFailure) -> [Waiting] {
        let all = batch + waiting
        inHand = []
        waiting = all.filter { $0.completion == nil }
        failure = cause
        isScheduled = true
        return all.filter { $0.completion != nil }
    }

    /// Notes that the store can be written to again.
    mutating func recovered() { failure = nil }
}
