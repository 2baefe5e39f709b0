import Offers

/// What was read of held state lately, in bounded memory.
///
/// Two generations: when the young one is full it becomes the old one, and the old one goes. What is used moves to the
/// young one.
struct StateCache {
    /// An account within an app.
    struct AccountKey: Hashable {
        let account: AccountDigest
        let bundleId: String
    }

    /// What is known of an account.
    struct AccountEntry {
        var subscriptions: Set<SubscriptionIdentity> = []
        var marks: [AccountHistoryMark] = []
    }

    private var subscriptions: Generations<SubscriptionIdentity, HeldSubscription?>
    private var accounts: Generations<AccountKey, AccountEntry>

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: How many subscriptions, and how many accounts, a generation holds.
    init(capacity: Int) {
        subscriptions = Generations(capacity: capacity)
        accounts = Generations(capacity: capacity)
    }

    /// What is held, when all of it is here.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held; `nil` when something has to be read.
    mutating func state(for question: StateQuestion) -> HeldState? {
        var own: Set<SubscriptionIdentity> = []
        var state = HeldState()
        if let account = question.account {
            guard let entry = accounts[AccountKey(account: account, bundleId: question.bundleId)] else { return nil }
            own = entry.subscriptions
            state.marks = entry.marks
        }
        for identity in question.subscriptions.isEmpty ? own : own.union(question.subscriptions) {
            guard let known = subscriptions[identity] else { return nil }
            guard let known else { continue }
            // Where the account was let go meanwhile, its marks have gone as well.
            if let account = question.account, own.contains(identity), known.accounts[account] == nil { return nil }
            state.subscriptions.append(known)
        }
        return state
    }

    /// Keeps what was read.
    ///
    /// - Parameters:
    ///   - state: What was read.
    ///   - question: What was asked.
    mutating func keep(_ state: HeldState, for question: StateQuestion) {
        for identity in question.subscriptions { subscriptions[identity] = .some(nil) }
        for held in state.subscriptions { subscriptions[held.identity] = held }
        guard let account = question.account else { return }
        let own = state.subscriptions.filter { $0.accounts[account] != nil }.map(\.identity)
        accounts[AccountKey(account: account, bundleId: question.bundleId)] = AccountEntry(
            subscriptions: Set(own),
            marks: state.marks
        )
    }

    /// Learns, where what is learnt of is here.
    ///
    /// - Parameter lesson: What is learnt.
    /// - Returns: Whether it may be news: `false` when all of it was known.
    mutating func learn(_ lesson: StateLesson) -> Bool {
        var isNews = false
        for learnt in lesson.subscriptions {
            guard let known = subscriptions[learnt.identity] else {
                isNews = true
                continue
            }
            if let known, known.knows(learnt) { continue }
            let held = known.map { $0.merging(learnt) } ?? learnt
            guard known.map({ held.isNews(after: $0) }) ?? true else { continue }
            isNews = true
            subscriptions[learnt.identity] = held
            for account in held.accounts.keys {
                let key = AccountKey(account: account, bundleId: learnt.identity.bundleId)
                guard var entry = accounts[key], entry.subscriptions.insert(learnt.identity).inserted else { continue }
                if entry.subscriptions.count > HeldState.mostOfAccount {
                    // Which of them are told has to be read again.
                    accounts.remove(key)
                } else {
                    accounts[key] = entry
                }
            }
        }
        for learnt in lesson.subscriptions where subscriptions[learnt.identity] == nil {
            // What belongs to an account is no longer all here: it has to be read again.
            for account in learnt.accounts.keys {
                accounts.remove(AccountKey(account: account, bundleId: learnt.identity.bundleId))
            }
        }
        guard let mark = lesson.mark else { return isNews }
        let key = AccountKey(account: mark.account, bundleId: mark.bundleId)
        guard var entry = accounts[key] else { return true }
        let marks = mark.put(into: entry.marks)
        guard marks != entry.marks else { return isNews }
        if entry.subscriptions.count < HeldState.mostOfAccount {
            entry.marks = marks
            accounts[key] = entry
        } else {
            // There may be others that were left out, beside which no mark counts.
            accounts.remove(key)
        }
        return true
    }

    /// Forgets everything: it has to be read again.
    mutating func clear() {
        subscriptions.clear()
        accounts.clear()
    }
}

extension HeldSubscription {
    /// The value with what another one knows.
    func merging(_ other: HeldSubscription) -> HeldSubscription {
        var merged = self
        merged.merge(other)
        return merged
    }

    /// Whether another value tells nothing that is not in this one, but moments within the last hour.
    ///
    /// It is what is asked first of evidence that was seen before, and cheaper than to merge it.
    fileprivate func knows(_ other: HeldSubscription) -> Bool {
        guard other.learntAt <= learntAt.adding(seconds: 3600), other.renewal == nil || other.renewal == renewal,
            other.accounts.allSatisfy({ account, tie in
                accounts[account].map { $0 == .bought || tie != .bought } ?? false
            }),
            other.customers.allSatisfy({ customers[$0.key] == $0.value })
        else { return false }
        return other.transactions.allSatisfy { transactions[$0.key] == $0.value }
    }

    /// Whether more than moments within the last hour has changed since an earlier value.
    fileprivate func isNews(after earlier: HeldSubscription) -> Bool {
        transactions != earlier.transactions || renewal != earlier.renewal
            || accounts.mapValues({ $0 == .bought }) != earlier.accounts.mapValues({ $0 == .bought })
            || customers != earlier.customers || earlier.learntAt.adding(seconds: 3600) < learntAt
    }
}

/// A bounded dictionary in two generations.
private struct Generations<Key: Hashable, Value> {
    let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) { self.capacity = capacity }

    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old[key] else { return nil }
            put(value, for: key)
            return value
        }
        set {
            guard let newValue else { return }
            put(newValue, for: key)
        }
    }

    mutating func remove(_ key: Key) {
        young.removeValue(forKey: key)
        old.removeValue(forKey: key)
    }

    mutating func clear() {
        young = [:]
        old = [:]
    }

    private mutating func put(_ value: Value, for key: Key) {
        if young.count >= capacity, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
        old.removeValue(forKey: key)
    }
}
