/// The row of questions to one host in an app's name, at the pace that Apple allows: a pure state machine over the time since
/// some start.
///
/// Calls are spaced evenly; a fifth of a second's worth may come at once (the generic cell rate algorithm). A question takes
/// the places of all its calls when it begins, so that no other one comes between. Clients take turns; where the row is full,
/// the one with the most questions that Apple has not answered waits no longer.
struct QuestionRow: Sendable {
    /// The longest time after which a refused question may come again.
    static let longestReturn = Duration.seconds(30)

    /// A question as it comes, whose number no other one has.
    struct Question: Sendable {
        let number: Int
        /// Who asks; `nil` is the service itself.
        let client: String?
        /// How many calls it needs, as far as is known.
        let calls: Int
        /// Whether Apple has been asked for it already: then it comes before its client's new ones.
        var isBegun = false
        let patience: Duration
    }

    /// What became of a question: it begins, or is refused with the time after which to come again.
    enum Outcome: Equatable, Sendable {
        case begins
        case refused(after: Duration)
    }

    private struct Waiting {
        let question: Question
        let latest: Duration
    }

    /// The questions of one client.
    private struct Line {
        var begun: [Waiting] = []
        var new: [Waiting] = []
        /// The calls of its questions that wait.
        var waitingCalls = 0
        /// The calls of its questions that are under way.
        var openCalls = 0
        /// The calls that it has had, and those that its silence forwent.
        var turn = 0
        /// The moment from which its refused questions may come again.
        var promised = Duration.zero

        /// The calls of all its questions that Apple has not answered.
        var calls: Int { waitingCalls + openCalls }

        var isWaiting: Bool { !begun.isEmpty || !new.isEmpty }
    }

    private let interval: Duration
    private let tolerance: Duration
    /// How long the row may be.
    private let longest: Duration
    private var next = Duration.zero
    private var heldUntil = Duration.zero
    private var lines: [String?: Line] = [:]
    /// The turn of the line that began last.
    private var turn = 0
    /// A moment before which no patience ends; `nil` where none waits.
    private var earliestEnd: Duration?

    init(requestsPerSecond: Int, longest: Duration) {
        interval = .seconds(1) / max(requestsPerSecond, 1)
        tolerance = .milliseconds(200)
        self.longest = longest
    }

    /// Whether no call is made because of what Apple asked for, not because of the pace.
    func isHeld(at now: Duration) -> Bool { now < heldUntil }

    /// How long no call is made because of what Apple asked for; `nil` where it asked for nothing.
    func hold(at now: Duration) -> Duration? { isHeld(at: now) ? heldUntil - now : nil }

    /// How long until one that waits may begin; `nil` where none waits.
    func pause(at now: Duration) -> Duration? {
        lines.values.contains(where: \.isWaiting) ? delay(at: now) : nil
    }

    private func delay(at now: Duration) -> Duration { max(next - tolerance - now, heldUntil - now, .zero) }

    /// Takes a question in; returns what became of it and of others that had to make room, and nothing for one that waits.
    mutating func enter(_ question: Question, at now: Duration) -> [Int: Outcome] {
        var outcomes: [Int: Outcome] = [:]
        var line = lines[question.client] ?? Line()
        var wait = wait(of: question, in: line, at: now)
        while wait > question.patience, delay(at: now) <= question.patience,
            let last = dequeueLast(ofMoreThan: line.calls + question.calls)
        {
            outcomes[last.number] = refusal(of: last, by: last.patience, at: now)
            wait = self.wait(of: question, in: line, at: now)
        }
        guard wait <= question.patience else {
            outcomes[question.number] = refusal(of: question, by: wait, at: now)
            return outcomes
        }
        if !line.isWaiting { line.turn = max(line.turn, turn) }
        let waiting = Waiting(question: question, latest: now + question.patience + tolerance)
        earliestEnd = min(earliestEnd ?? waiting.latest, waiting.latest)
        if question.isBegun { line.begun.append(waiting) } else { line.new.append(waiting) }
        line.waitingCalls += question.calls
        lines[question.client] = line
        outcomes.merge(begin(at: now)) { $1 }
        while length(before: question, at: now) > longest, let last = dequeueLast(ofMoreThan: 0) {
            outcomes[last.number] = refusal(of: last, by: last.patience, at: now)
        }
        return outcomes
    }

    /// Begins what may begin by now; returns what became of questions.
    mutating func begin(at now: Duration) -> [Int: Outcome] {
        var outcomes = refuseLate(at: now)
        while delay(at: now) == .zero, let question = dequeueNext() {
            next = max(next, now) + interval * question.calls
            lines[question.client]?.openCalls += question.calls
            outcomes[question.number] = .begins
        }
        return outcomes
    }

    /// Leaves no place before a moment, for what Apple asked for; returns the refusals of those that cannot wait so long.
    mutating func hold(until moment: Duration, at now: Duration) -> [Int: Outcome] {
        next = max(next, moment + tolerance)
        heldUntil = max(heldUntil, moment)
        return refuse(at: now) { $0.latest < moment }
    }

    /// Takes back the places of a question's calls that were not made, and counts the others as answered.
    mutating func end(of client: String?, calls: Int, unused: Int) {
        next -= interval * unused
        lines[client]?.openCalls -= calls
    }

    /// Lets a question go that nobody waits for any more; `false` where it waits no longer.
    mutating func leave(_ number: Int, of client: String?) -> Bool {
        !remove(from: client) { $0.question.number == number }.isEmpty
    }

    // MARK: Places

    /// How long a question waits, where clients take turns: behind its own client's, and as many of each other's.
    private func wait(of question: Question, in line: Line, at now: Duration) -> Duration {
        let own = question.isBegun ? line.begun.reduce(0) { $0 + $1.question.calls } : line.waitingCalls
        let others = lines.lazy.filter { $0.key != question.client }.map {
            min($0.value.waitingCalls, own + question.calls)
        }
        let ahead = own + others.reduce(0, +)
        return delay(at: now) + interval * ahead
    }

    /// How long a question would wait as the last one of the row.
    private func length(before question: Question, at now: Duration) -> Duration {
        delay(at: now) + interval * max(lines.values.reduce(-question.calls) { $0 + $1.waitingCalls }, 0)
    }

    /// Takes out the question whose turn it is.
    private mutating func dequeueNext() -> Question? {
        let waiting = lines.filter(\.value.isWaiting)
        guard
            case (let client, var line)? = waiting.min(by: {
                ($0.value.turn, $0.key ?? "") < ($1.value.turn, $1.key ?? "")
            })
        else { return nil }
        let question = (line.begun.isEmpty ? line.new.removeFirst() : line.begun.removeFirst()).question
        turn = line.turn
        line.turn += question.calls
        line.waitingCalls -= question.calls
        lines[client] = line
        return question
    }

    /// Takes out the last new question of the client that has the most calls, waiting and under way, and more than so many.
    private mutating func dequeueLast(ofMoreThan calls: Int) -> Question? {
        let full = lines.filter { !$0.value.new.isEmpty && $0.value.calls > calls }
        guard case (let client, var line)? = full.max(by: { $0.value.calls < $1.value.calls }),
            let last = line.new.popLast()?.question
        else { return nil }
        line.waitingCalls -= last.calls
        lines[client] = line
        return last
    }

    private mutating func remove(from client: String?, where isMeant: (Waiting) -> Bool) -> [Question] {
        guard var line = lines[client] else { return [] }
        let gone = (line.begun + line.new).filter(isMeant).map(\.question)
        guard !gone.isEmpty else { return [] }
        line.begun.removeAll(where: isMeant)
        line.new.removeAll(where: isMeant)
        line.waitingCalls -= gone.reduce(0) { $0 + $1.calls }
        lines[client] = line
        return gone
    }

    // MARK: Refusals

    /// Refuses those that others came before for longer than they can wait.
    private mutating func refuseLate(at now: Duration) -> [Int: Outcome] {
        guard let end = earliestEnd, end < now else { return [:] }
        let outcomes = refuse(at: now) { $0.latest < now }
        earliestEnd = lines.values.flatMap { $0.begun + $0.new }.map(\.latest).min()
        return outcomes
    }

    private mutating func refuse(at now: Duration, where isMeant: (Waiting) -> Bool) -> [Int: Outcome] {
        var outcomes: [Int: Outcome] = [:]
        for client in Array(lines.keys) {
            for question in remove(from: client, where: isMeant) {
                outcomes[question.number] = refusal(of: question, by: question.patience, at: now)
            }
        }
        return outcomes
    }

    /// Refuses a question until there is room again, and for those that were asked to come before it.
    private mutating func refusal(of question: Question, by wait: Duration, at now: Duration) -> Outcome {
        if isHeld(at: now) { return .refused(after: heldUntil - now) }
        var line = lines[question.client] ?? Line()
        let sharing = lines.count { $0.key != question.client && $0.value.isWaiting } + 1
        let room = now + max(wait - question.patience, interval)
        let come = min(max(line.promised, room), now + Self.longestReturn)
        line.promised = come + interval * question.calls * sharing
        lines[question.client] = line
        return .refused(after: come - now)
    }
}
