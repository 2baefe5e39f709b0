import Synchronization

/// A bounded number of permits for work at once.
///
/// Nothing waits for a permit: work without one is refused or left out.
package final class Permits: Sendable {
    private let free: Atomic<Int>

    package init(_ count: Int) { free = Atomic(count) }

    /// Acquires a permit; `false` where none is free.
    package func acquire() -> Bool {
        let left = free.subtract(1, ordering: .relaxed).newValue
        if left >= 0 { return true }
        free.add(1, ordering: .relaxed)
        return false
    }

    package func release() { free.add(1, ordering: .relaxed) }
}
