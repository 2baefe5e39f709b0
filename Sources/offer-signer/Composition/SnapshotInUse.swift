import Synchronization

/// The snapshot that is in use, until a reload puts another in its place as a whole.
final class SnapshotInUse: Sendable {
    private let current: Mutex<ServiceSnapshot>

    init(_ snapshot: ServiceSnapshot) {
        current = Mutex(snapshot)
    }

    /// Stays the same for the caller: read it once for all that has to fit together.
    var value: ServiceSnapshot { current.withLock { $0 } }

    /// The old one goes when the last request that began with it is answered.
    func replace(by snapshot: ServiceSnapshot) {
        let old = current.withLock { current in
            let old = current
            current = snapshot
            return old
        }
        // Released outside of the lock: that may take some time.
        _ = consume old
    }
}
