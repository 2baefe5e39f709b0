import Synchronization

/// A request to stop, which may come before there is anything to be stopped.
final class LoadStop: Sendable {
    private struct State {
        var isRequested = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Asks for the stop.
    func request() {
        let action = state.withLock { state in
            state.isRequested = true
            return state.action
        }
        action?()
    }

    /// Says what stops.
    ///
    /// - Parameter action: Called when the stop is asked for; at once when it was already.
    func whenRequested(_ action: @escaping @Sendable () -> Void) {
        let isRequested = state.withLock { state in
            state.action = action
            return state.isRequested
        }
        if isRequested { action() }
    }
}
