import Offers

/// Observations that wait to be written; a value, so that all that happens to it happens under one lock.
///
/// A reader takes a ``Glance`` before it reads, and lays this over its answer afterwards: batches that were written
/// meanwhile are kept for that a little longer. Only evidence counts before it is written.
struct UnwrittenStates {
    struct Waiting: Sendable {
        let work: StateWork
        /// Called once, of a notification, with whether it was kept and was new; `nil` for evidence.
        let completion: (@Sendable (Result<Bool, StorageFailure>) -> Void)?

        fileprivate var hasRedemptions: Bool { work.observation.chapters.contains(where: \.hasRedemptions) }
    }

    /// A note of the moment before something is read.
    struct Glance {
        /// How many batches were written by then.
        fileprivate let written: Int
        /// Subscriptions that the account has since, to be read beside those of the question.
        let others: Set<SubscriptionIdentity>
    }

    /// How many batches are kept after they were written.
    private static let kept = 4

    let most: Int
    /// How many are written at once, an observation counted as often as it has subscriptions.
    let batchSize: Int
    /// How many observations of evidence came when no more could wait.
    private(set) var dropped = 0
    /// Why nothing can be written now; `nil` when it can, as far as is known.
    private(set) var failure: StorageFailure?
    /// How much the store refused for its values, and what it said last.
    private(set) var refusal: (count: Int, detail: String)?
    /// How often the ledger's commits have taken all along that waited first.
    private(set) var lent = 0

    private var waiting: [ObservationBatch] = []
    private var count = 0
    private var inHand: ObservationBatch?
    /// The last batches that were written, the oldest first.
    private var written: [ObservationBatch] = []
    private var writtenCount = 0
    private var isScheduled = false
    private var isLendable = true

    init(most: Int, batchSize: Int) {
        self.most = most
        self.batchSize = batchSize
    }

    // MARK: Reading

    func glance(at question: StateQuestion) -> Glance {
        Glance(written: writtenCount, others: others(for: question, in: batches(since: writtenCount)))
    }

    /// The subscriptions of a question by what waits: those of its account, and those that are the same under another
    /// identifier.
    private func others(
        for question: StateQuestion,
        beside read: [Chapter] = [],
        in batches: [ObservationBatch]
    ) -> Set<SubscriptionIdentity> {
        var others: Set<SubscriptionIdentity> = []
        if let key = question.accountKey { for batch in batches { batch.note(&others, of: key) } }
        guard batches.contains(where: \.hasLinks) else { return others }
        let asked = Set(question.subscriptions).union(read.map(\.identity))
        for _ in 0..<Chapter.mostLinked {
            let known = others.union(asked)
            let more = batches.reduce(into: Set()) { $0.formUnion($1.linked(to: known)) }
            guard !more.isSubset(of: known) else { break }
            others.formUnion(more.subtracting(question.subscriptions))
        }
        return others
    }

    /// Lays what waits over what was read of the question and the glance's others; `nil` when that is all.
    ///
    /// Otherwise it has to be read again, with these subscriptions, too.
    func lay(
        over state: inout Book,
        for question: StateQuestion,
        since glance: Glance
    ) -> Set<SubscriptionIdentity>? {
        guard writtenCount - glance.written <= Self.kept else { return [] }
        let batches = batches(since: glance.written)
        guard !batches.isEmpty else { return nil }
        // A stored subscription may lead to one that has another identifier since.
        let missing = others(for: question, beside: state.chapters, in: batches)
            .subtracting(question.subscriptions).subtracting(glance.others)
            .subtracting(state.chapters.lazy.map(\.identity))
        guard missing.isEmpty else { return missing }
        for batch in batches { batch.lay(over: &state, for: question, glance.others) }
        return nil
    }

    private func batches(since number: Int) -> [ObservationBatch] {
        (written.suffix(min(writtenCount - number, written.count)) + [inHand].compactMap(\.self) + waiting)
            .filter(\.isOfEvidence)
    }

    // MARK: Writing

    /// Adds evidence, where there is room for it; where there is none, that is counted.
    ///
    /// It gives whether the writer has to be asked to write before long: it has not been.
    mutating func add(evidence: Waiting) -> Bool {
        guard count < most else {
            dropped += 1
            return false
        }
        append(evidence)
        defer { isScheduled = true }
        return !isScheduled
    }

    /// Adds a notification; `false` when it cannot be written now, and was not added.
    mutating func add(notification: Waiting) -> Bool {
        guard count < most, failure == nil else { return false }
        append(notification)
        return true
    }

    private mutating func append(_ one: Waiting) {
        count += 1
        let size = max(one.work.observation.chapters.count, 1)
        if let last = waiting.indices.last, waiting[last].size + size <= batchSize {
            waiting[last].add(one)
        } else {
            waiting.append(ObservationBatch([one]))
        }
    }

    mutating func take() -> [Waiting] {
        isScheduled = false
        isLendable = true
        return takeFirst()
    }

    /// Takes evidence for a commit of the ledger; nothing where notifications wait first, or where the writer has to try
    /// first whether the store takes it.
    ///
    /// Evidence of redemptions is left to the writer: the ledger would wait for the one lock of all redemptions.
    mutating func lend() -> [Waiting] {
        guard failure == nil, isLendable, let first = waiting.first, first.all.allSatisfy({ $0.completion == nil })
        else {
            return []
        }
        let own = first.all.filter(\.hasRedemptions)
        if own.isEmpty {
            lent += 1
        } else {
            let rest = first.all.filter { !$0.hasRedemptions }
            waiting[0] = ObservationBatch(own)
            guard !rest.isEmpty else { return [] }
            waiting.insert(ObservationBatch(rest), at: 0)
        }
        return takeFirst()
    }

    /// Puts back what was lent: the writer tries it next.
    mutating func takeBack() {
        guard let inHand else { return }
        waiting.insert(inHand, at: 0)
        count += inHand.all.count
        self.inHand = nil
        isLendable = false
    }

    private mutating func takeFirst() -> [Waiting] {
        guard !waiting.isEmpty else { return [] }
        let batch = waiting.removeFirst()
        count -= batch.all.count
        inHand = batch
        return batch.all
    }

    /// Lets go of what was in hand: all of it is written.
    mutating func wrote() {
        failure = nil
        guard let inHand else { return }
        self.inHand = nil
        writtenCount += 1
        written.append(inHand)
        if written.count > Self.kept { written.removeFirst() }
    }

    /// Lets go of what the store will never take, beside others in hand.
    mutating func refused(beside others: [Waiting], _ cause: StorageFailure) {
        inHand = ObservationBatch(others)
        refusal = (count: (refusal?.count ?? 0) + 1, detail: cause.detail)
    }

    /// Puts evidence back, as nothing can be written now; the writer looks again by itself.
    ///
    /// It gives the notifications, which wait no longer.
    mutating func failed(_ batch: [Waiting], _ cause: StorageFailure) -> [Waiting] {
        let all = batch + waiting.flatMap(\.all)
        inHand = nil
        waiting = []
        count = 0
        for one in all where one.completion == nil { append(one) }
        failure = cause
        isScheduled = true
        startAnew()
        return all.filter { $0.completion != nil }
    }

    /// Has those who read meanwhile read again.
    private mutating func startAnew() {
        written = []
        writtenCount += Self.kept + 1
    }

    mutating func recovered() { failure = nil }

    /// Lets go of evidence of before somebody was forgotten.
    mutating func letGo(before generation: Int64) {
        let all = waiting.flatMap(\.all).filter { $0.work.isDue(in: generation) }
        waiting = []
        count = 0
        for one in all { append(one) }
        startAnew()
    }
}

/// Observations that are written at once, and what they say of each subscription and each account.
struct ObservationBatch {
    private(set) var all: [UnwrittenStates.Waiting] = []
    /// How many they are, each counted as often as it has subscriptions.
    private(set) var size = 0
    private var subscriptions: [SubscriptionIdentity: Chapter] = [:]
    private var accounts: [AccountKey: AccountRows] = [:]
    /// Whether any says that a subscription has another identifier.
    private(set) var hasLinks = false

    init(_ all: [UnwrittenStates.Waiting]) {
        for one in all { add(one) }
    }

    /// Whether any is of evidence.
    var isOfEvidence: Bool { !subscriptions.isEmpty || !accounts.isEmpty }

    mutating func add(_ one: UnwrittenStates.Waiting) {
        all.append(one)
        let observation = one.work.observation
        size += max(observation.chapters.count, 1)
        guard one.work.notification == nil else { return }
        for seen in observation.chapters {
            subscriptions[seen.identity] = subscriptions[seen.identity]?.joining(seen) ?? seen
            if !seen.linked.isEmpty { hasLinks = true }
            for account in seen.accounts.keys {
                let key = AccountKey(account: account, bundleId: seen.identity.bundleId)
                accounts[key, default: AccountRows()].subscriptions.append(seen.identity)
            }
        }
        guard let mark = observation.marks.first else { return }
        let key = AccountKey(account: mark.account, bundleId: mark.bundleId)
        accounts[key, default: AccountRows()].marks = mark.put(into: accounts[key]?.marks ?? [])
    }

    /// Notes the subscriptions that an account has by these.
    func note(_ identities: inout Set<SubscriptionIdentity>, of key: AccountKey) {
        accounts[key].map { identities.formUnion($0.subscriptions) }
    }

    func linked(to identities: Set<SubscriptionIdentity>) -> Set<SubscriptionIdentity> {
        guard hasLinks else { return [] }
        return identities.reduce(into: []) { $0.formUnion(subscriptions[$1]?.identities ?? []) }
    }

    func lay(over state: inout Book, for question: StateQuestion, _ others: Set<SubscriptionIdentity>) {
        for index in state.chapters.indices {
            let before = state.chapters[index]
            guard let seen = subscriptions[before.identity] else { continue }
            state.chapters[index] = before.joining(seen)
            if let account = question.account, state.chapters[index].accountsLetGo(since: before).contains(account) {
                state.marks.removeAll { $0.environment == before.identity.environment }
            }
        }
        for identity in others.union(question.subscriptions)
        where !state.chapters.contains(where: { $0.identity == identity }) {
            if let seen = subscriptions[identity] { state.chapters.append(seen) }
        }
        guard let key = question.accountKey, let own = accounts[key] else { return }
        for mark in own.marks {
            let has = own.subscriptions.allSatisfy { identity in
                state.chapters.first { $0.identity == identity }?.accounts[key.account] != nil
            }
            if has { state.marks = mark.put(into: state.marks) }
        }
    }
}
