import Offers
import Synchronization

@testable import Storage

/// A store that writes or not, as a test wishes.
final class FailingStateStore: StateStore {
    private let store: SQLiteStateStore
    private let isFailing = Atomic(false)

    init(_ store: SQLiteStateStore) {
        self.store = store
    }

    var fails: Bool {
        get { isFailing.load(ordering: .sequentiallyConsistent) }
        set { isFailing.store(newValue, ordering: .sequentiallyConsistent) }
    }

    private func check() throws(StorageFailure) {
        if fails { throw StorageFailure(.unavailable, "the disk is full") }
    }

    func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState { try await store.held(question) }

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
