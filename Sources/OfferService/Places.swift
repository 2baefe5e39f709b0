import Synchronization

/// A bounded number of places for what is done at once.
package final class Places: Sendable {
    private let free: Atomic<Int>

    /// Creates free places.
    ///
    /// - Parameter count: How many.
    package init(_ count: Int) { free = Atomic(count) }

    /// Takes a place.
    ///
    /// - Returns: `false` where none is free.
    package func take() -> Bool {
        let left = free.subtract(1, ordering: .relaxed).newValue
        if left >= 0 { return true }
        free.add(1, ordering: .relaxed)
        return false
    }

    /// Gives a place back.
    package func giveBack() { free.add(1, ordering: .relaxed) }
}
