import NIOCore
import Synchronization

/// The place in the queue that the request of a connection holds.
///
/// A connection has one request at a time.
final class RequestProgress: Sendable {
    private struct Place {
        let queue: AdmissionControl.Queue
        let number: Int
        let since: NIODeadline
    }

    private let admission: AdmissionControl?
    private let place = Mutex<Place?>(nil)

    /// Begins without a request.
    ///
    /// - Parameter admission: What lets requests in; `nil` for all of them.
    init(_ admission: AdmissionControl?) {
        self.admission = admission
    }

    /// A request is complete and wants to be worked on.
    ///
    /// - Parameter queue: Its queue.
    /// - Returns: Whether it was let in.
    func enter(_ queue: AdmissionControl.Queue) -> Bool {
        guard let admission else { return true }
        guard let number = admission.enter(queue) else { return false }
        place.withLock { $0 = Place(queue: queue, number: number, since: .now()) }
        return true
    }

    /// The request is worked on from now on.
    func begin() {
        guard let admission, let place = place.withLock({ $0 }) else { return }
        admission.noteWait((NIODeadline.now() - place.since).nanoseconds)
        if place.queue == .task { leave() }
    }

    /// The request has what it waited for in its queue.
    func leave() {
        guard let admission, let place = take() else { return }
        admission.leave(place.queue, at: place.number, since: place.since)
    }

    /// The request waits for somebody else from now on, or the connection is gone: its place is others'.
    func abandon() {
        guard let admission, let place = take() else { return }
        admission.abandon(place.queue)
    }

    private func take() -> Place? {
        place.withLock { place in
            defer { place = nil }
            return place
        }
    }
}
