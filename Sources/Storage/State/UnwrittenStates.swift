import Offers

/// What evidence has shown and waits to be written; a value, so that all that happens to it happens under one lock.
///
/// A reader takes a ``Glance`` before it reads, and lays this over its answer afterwards: batches that were written
/// meanwhile are held for that a little longer.
struct UnwrittenStates {
    /// A note of the moment before something is read.
    struct Glance {
        /// How many batches were written by then.
        fileprivate let written: Int
        /// Subscriptions that the account has since, to be read beside those of the question.
        let others: Set<SubscriptionIdentity>
    }

    /// How many batches are held after they were written.
    private static let writtenBatches = 4

    let most: Int
    /// How many are written at once, an observation counted as often as it has subscriptions.
    let batchSize: Int
    /// How many observations of evidence came when no more could wait.
    private(set) var dropped = 0
    /// How much the store refused for its values, and what it said last.
    private(set) var refusal: (count: Int, detail: String)?
    /// How many batches were taken.
    private(set) var taken = 0

    private var waiting: [ObservationBatch] = []
    private var count = 0
    private var inHand: ObservationBatch?
    /// The last batches that were written, the oldest first.
    private var written: [ObservationBatch] = []
    private var writtenCount = 0

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
        if let key = question.accountKey { for batch in batches { batch.addSubscriptions(of: key, to: &others) } }
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
    func overlay(
        _ state: inout Book,
        for question: StateQuestion,
        since glance: Glance
    ) -> Set<SubscriptionIdentity>? {
        guard writtenCount - glance.written <= Self.writtenBatches else { return [] }
        let batches = batches(since: glance.written)
        guard !batches.isEmpty else { return nil }
        // A stored subscription may lead to one that has another identifier since.
        let missing = others(for: question, beside: state.chapters, in: batches)
            .subtracting(question.subscriptions).subtracting(glance.others)
            .subtracting(state.chapters.lazy.map(\.identity))
        guard missing.isEmpty else { return missing }
        for batch in batches { batch.overlay(&state, for: question, glance.others) }
        return nil
    }

    private func batches(since number: Int) -> [ObservationBatch] {
        written.suffix(min(writtenCount - number, written.count)) + [inHand].compactMap(\.self) + waiting
    }

    // MARK: Writing

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a work, where there is room for it; where there is none, that is counted.
    mutating func add(_ work: StateWork) {
        if count < most { append(work) } else { dropped += 1 }
    }

    private mutating func append(_ work: StateWork) {
        count += 1
        if let last = waiting.indices.last, waiting[last].size + work.size <= batchSize {
            waiting[last].add(work)
        } else {
            waiting.append(ObservationBatch([work]))
        }
    }

    mutating func dequeueBatch() -> [StateWork] {
        guard !waiting.isEmpty else { return [] }
        let batch = waiting.removeFirst()
        count -= batch.all.count
        taken += 1
        inHand = batch
        return batch.all
    }

    /// Puts back what was taken: it is not written.
    mutating func requeueBatch() {
        if let inHand { putBack(inHand) }
        inHand = nil
    }

    private mutating func putBack(_ batch: ObservationBatch) {
        waiting.insert(batch, at: 0)
        count += batch.all.count
    }

    /// Lets go of what was taken: it is written, but for works that were left out.
    mutating func wrote(leavingOut aside: [StateWork]) {
        guard let inHand else { return }
        self.inHand = nil
        writtenCount += 1
        written.append(inHand)
        if written.count > Self.writtenBatches { written.removeFirst() }
        if !aside.isEmpty { putBack(ObservationBatch(aside)) }
    }

    /// Lets go of a work that the store will never take, beside others that were taken.
    mutating func refused(_ cause: StorageFailure, beside others: [StateWork]) {
        inHand = ObservationBatch(others)
        refusal = (count: (refusal?.count ?? 0) + 1, detail: cause.detail)
    }

    private mutating func startAnew() {
        written = []
        writtenCount += Self.writtenBatches + 1
    }

    /// Lets go of evidence of before somebody was forgotten.
    mutating func letGo(before generation: Int64) {
        let all = waiting.flatMap(\.all).filter { $0.isDue(in: generation) }
        waiting = []
        count = 0
        for one in all { append(one) }
        startAnew()
    }
}

extension StateWork {
    /// It counts as often as it has subscriptions.
    fileprivate var size: Int { max(observation.chapters.count, 1) }
}

/// Works that are written at once, and what they say of each subscription and each account.
struct ObservationBatch {
    private(set) var all: [StateWork] = []
    private(set) var size = 0
    private var subscriptions: [SubscriptionIdentity: Chapter] = [:]
    private var accounts: [AccountKey: AccountRows] = [:]
    /// Whether any says that a subscription has another identifier.
    private(set) var hasLinks = false

    init(_ all: [StateWork]) {
        for work in all { add(work) }
    }

    mutating func add(_ work: StateWork) {
        all.append(work)
        size += work.size
        for seen in work.observation.chapters {
            subscriptions[seen.identity] = subscriptions[seen.identity]?.joining(seen) ?? seen
            if !seen.linked.isEmpty { hasLinks = true }
            for account in seen.accounts.keys {
                let key = AccountKey(account: account, bundleId: seen.identity.bundleId)
                accounts[key, default: AccountRows()].subscriptions.append(seen.identity)
            }
        }
        guard let mark = work.observation.marks.first else { return }
        let key = AccountKey(account: mark.account, bundleId: mark.bundleId)
        accounts[key, default: AccountRows()].marks = mark.put(into: accounts[key]?.marks ?? [])
    }

    /// Adds the subscriptions that an account has by these.
    func addSubscriptions(of key: AccountKey, to identities: inout Set<SubscriptionIdentity>) {
        accounts[key].map { identities.formUnion($0.subscriptions) }
    }

    func linked(to identities: Set<SubscriptionIdentity>) -> Set<SubscriptionIdentity> {
        guard hasLinks else { return [] }
        return identities.reduce(into: []) { $0.formUnion(subscriptions[$1]?.identities ?? []) }
    }

    func overlay(_ state: inout Book, for question: StateQuestion, _ others: Set<SubscriptionIdentity>) {
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
