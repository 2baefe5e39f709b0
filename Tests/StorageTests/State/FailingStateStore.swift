import Offers
import Synchronization

@testable import Storage

/// A store that writes or not, as a test wishes.
final class FailingStateStore: StateStore {
    private let store: DatabaseStateStore
    private let failuresLeft = Atomic(0)
    private let unreadable = Atomic(false)
    private let silent = Atomic(false)

    init(_ store: DatabaseStateStore) {
        self.store = store
    }

    /// How often it will fail to write.
    var failures: Int {
        get { failuresLeft.load(ordering: .sequentiallyConsistent) }
        set { failuresLeft.store(newValue, ordering: .sequentiallyConsistent) }
    }

    /// Whether it fails to write for now.
    var fails: Bool {
        get { failures > 0 }
        set { failures = newValue ? .max : 0 }
    }

    private func check() throws(StorageFailure) {
        guard fails else { return }
        failuresLeft.subtract(1, ordering: .sequentiallyConsistent)
        throw StorageFailure(.unavailable, "the disk is full")
    }

    /// Whether it fails to read for now.
    var isUnreadable: Bool {
        get { unreadable.load(ordering: .sequentiallyConsistent) }
        set { unreadable.store(newValue, ordering: .sequentiallyConsistent) }
    }

    /// Whether it answers no question for now.
    var isSilent: Bool {
        get { silent.load(ordering: .sequentiallyConsistent) }
        set { silent.store(newValue, ordering: .sequentiallyConsistent) }
    }

    func heldAtOnce(_ questions: [StateQuestion]) throws(StorageFailure) -> [HeldState]? {
        isSilent || isUnreadable ? nil : try store.heldAtOnce(questions)
    }

    func held(_ questions: [StateQuestion]) async -> [Result<HeldState, StorageFailure>] {
        while isSilent { try? await Task.sleep(for: .milliseconds(10)) }
        guard !isUnreadable else {
            let failure = StorageFailure(.unavailable, "permission denied for table held_subscriptions")
            return questions.map { _ in .failure(failure) }
        }
        return await store.held(questions)
    }

    func commit(_ works: [StateWork]) throws(StorageFailure) -> [Bool] {
        try check()
        return try store.commit(works)
    }

    func forget(_ account: AccountDigest) throws(StorageFailure) -> Int { try store.forget(account) }

    func generation() throws(StorageFailure) -> Int64 { try store.generation() }

    func deleteNotifications(before limit: Timestamp) throws(StorageFailure) {
        try check()
        try store.deleteNotifications(before: limit)
    }

    func count() throws(StorageFailure) -> Int { try store.count() }
}
