import Synchronization

/// A bounded number of places for work at once.
///
/// Nothing waits for a place: work without one is refused or left out.
package final class Permits: Sendable {
    private let free: Atomic<Int>

    package init(_ count: Int) { free = Atomic(count) }

    /// Takes a place; `false` where none is free.
    package func take() -> Bool {
        let left = free.subtract(1, ordering: .relaxed).newValue
        if left >= 0 { return true }
        free.add(1, ordering: .relaxed)
        return false
    }

    package func giveBack() { free.add(1, ordering: .relaxed) }
}
