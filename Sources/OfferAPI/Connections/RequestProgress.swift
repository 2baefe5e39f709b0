import NIOCore
import Synchronization

/// The place in the queue that the request of a connection holds, until a task works on it.
///
/// A connection has one request at a time.
final class RequestProgress: Sendable {
    private let admission: AdmissionControl?
    private let since = Atomic<UInt64>(0)

    /// Begins without a request.
    ///
    /// - Parameter admission: What lets requests in; `nil` for all of them.
    init(_ admission: AdmissionControl?) {
        self.admission = admission
    }

    /// A request is complete and wants to be worked on.
    ///
    /// - Returns: Whether it was let in.
    func enter() -> Bool {
        guard let admission else { return true }
        guard admission.enter() else { return false }
        since.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
        return true
    }

    /// The request is worked on from now on.
    func begin() {
        let entered = since.exchange(0, ordering: .relaxed)
        guard entered > 0 else { return }
        let waited = NIODeadline.now() - .uptimeNanoseconds(entered)
        admission?.begin(after: .nanoseconds(waited.nanoseconds))
    }

    /// The connection is gone; a request that nobody has begun with gives its place back.
    func end() {
        if since.exchange(0, ordering: .relaxed) > 0 { admission?.abandon() }
    }
}
