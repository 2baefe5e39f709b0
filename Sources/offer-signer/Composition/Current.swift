import Synchronization

/// The value that is in use, until another takes its place as a whole.
final class Current<Value: Sendable>: Sendable {
    private let current: Mutex<Value>

    /// Puts the first value in use.
    init(_ value: Value) {
        current = Mutex(value)
    }

    /// The value in use.
    ///
    /// Who asks keeps what it got: ask once for all that has to fit together.
    var value: Value { current.withLock { $0 } }

    /// Puts another value in use.
    ///
    /// The old one goes when the last who asked for it is done.
    ///
    /// - Parameter value: The value.
    func replace(by value: Value) {
        let old = current.withLock { current in
            let old = current
            current = value
            return old
        }
        // Let go outside of the lock: it may take some time.
        _ = consume old
    }
}
